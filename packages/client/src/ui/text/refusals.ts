import { type MessageKey, t } from './texts.ts';

/** The texts for the codes with which the worker refuses a sign-in, a checkout or the portal. */
const TEXTS: Readonly<Record<string, MessageKey>> = {
  invalid_credentials: 'refusedCredentials',
  invalid_email: 'refusedEmail',
  email_in_use: 'refusedEmailInUse',
  weak_password: 'refusedWeakPassword',
  account_disabled: 'refusedAccountDisabled',
  session_expired: 'refusedSessionExpired',
  too_many_attempts: 'refusedTooManyAttempts',
  network: 'refusedNetwork',
  cancelled: 'refusedCancelled',
  not_configured: 'refusedNotConfigured',
  host_signs_in: 'refusedHostSignsIn',
  link_invalid: 'refusedLinkInvalid',
  guest_has_purchases: 'refusedGuestHasPurchases',
  password_required: 'refusedPasswordRequired',
  wrong_account: 'refusedWrongAccount',
  not_deleted: 'refusedNotDeleted',
  guest_unchecked: 'refusedGuestUnchecked',
  deletion_unconfirmed: 'refusedDeletionUnconfirmed',
  storage_unavailable: 'refusedStorage',
  account_deleted: 'refusedSignedOut',
  unavailable: 'refusedSignInUnavailable',
  no_worker: 'errorNoWorker',
  already_subscribed: 'refusedAlreadySubscribed',
  already_owned: 'refusedAlreadyOwned',
  change_planned: 'planAfterCurrent',
  portal_required: 'planAfterCurrent',
  currency_differs: 'refusedCurrency',
  no_customer: 'refusedNoCustomer',
  unknown_lookup_key: 'refusedNotSold',
  too_many_requests: 'refusedTooMany',
  billing_disabled: 'refusedDisabled',
  provider_unavailable: 'refusedProvider',
  unauthenticated: 'refusedSignedOut',
  updated: 'refusedUpdated',
  account_changed: 'refusedAccountChanged',
  offline: 'refusedOffline',
  temporarily_unavailable: 'refusedTimeout',
};

/**
 * What to tell the user about a refusal of the worker, in the user's language. The worker's own sentence is English
 * and for those who build without this UI; a code that has no text of its own gets a general one.
 */
export function refusalText({ code }: { readonly code: string }): string {
  const key = Object.hasOwn(TEXTS, code) ? TEXTS[code] : undefined;
  return t(key ?? 'refusedInternal');
}
