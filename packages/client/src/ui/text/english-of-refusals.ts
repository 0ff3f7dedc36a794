/**
 * The texts of what became of something that the user did: read when there is something to say. Whoever shows one brings
 * them (`bringTexts`).
 */
export const englishOfRefusals = {
  consumeAccountChanged:
    'Another account signed in before this was paid. Nothing was spent from it. Run this again if you want it.',
  consumeDone: { one: '$1 credit spent, $2 left', other: '$1 credits spent, $2 left' },
  consumeExhausted: 'Not enough credits. Top up to run this.',
  consumeFree: 'Done. No credits spent.',
  consumeFreeCeiling: 'Today’s free credits are used up for everybody. Nothing was spent.',
  consumeOffline: 'You are offline. Try again when you are connected.',
  consumePlanRequired: 'This needs a plan. Choose one to run it.',
  consumeSignedOut: 'Sign in first, then run this again.',
  consumeTooFew: 'Not enough credits to run this.',
  consumeUnsettled: 'Done. Your balance shows whether credits were spent, once the service answers.',
  consumeUnavailable: 'The service did not answer. Try again in a moment.',
  consumeUnknownFeature: 'This feature needs an update of the extension. Update it and try again.',
  errorNoWorker: 'The extension did not answer. Close this page, open it again and retry.',
  refusedAccountChanged: 'Another account signed in meanwhile. Try again with this one.',
  refusedAccountDisabled: 'This account is disabled. Write to support to have it opened again.',
  refusedAlreadyOwned: 'This is yours already. There is nothing to pay.',
  refusedAlreadySubscribed: 'You already have a plan. Open billing to change or cancel it.',
  refusedCancelled: 'The sign-in window was closed. Try again.',
  refusedCredentials: 'Email or password is wrong. Check both, or create an account.',
  refusedDeletionUnconfirmed:
    'Whether your account was deleted is not known yet. Check your connection and delete it again to be sure.',
  refusedDisabled: 'Purchases are switched off at the moment. Try again later.',
  refusedEmail: 'This does not look like an email address. Check it and try again.',
  refusedEmailInUse: 'There is an account with this email already. Sign in instead.',
  refusedGuestHasPurchases:
    'What you bought as a guest cannot move to an account that exists already. Create a new account to keep it, or leave it behind.',
  refusedGuestUnchecked:
    'Whether you bought something as a guest cannot be checked. Try again in a moment, or leave it behind.',
  refusedHostSignsIn: 'Use the sign-in of the extension itself.',
  refusedInternal: 'Something went wrong on our side. Try again in a moment.',
  refusedLinkInvalid: 'This link cannot be used here. Ask for a new one.',
  refusedNetwork: 'The sign-in service cannot be reached. Check your connection and try again.',
  refusedCurrency:
    'This is sold in another currency than your plan. Cancel that one, and buy this when it has ended.',
  refusedNoCustomer: 'There is nothing to manage yet. Choose a plan or a pack first.',
  refusedNotConfigured: 'This way of signing in is not set up here. Use email and password.',
  refusedNotDeleted:
    'Your account was not deleted, because your plan could not be ended right now. Try again in a moment.',
  refusedNotSold: 'This is no longer sold. Update the extension to see what is.',
  refusedOffline: 'There is no connection. Check your network and try again.',
  refusedPasswordRequired: 'Type your password to confirm.',
  refusedProvider:
    'The payment page cannot be opened right now. You were not charged. Try again in a moment.',
  refusedSessionExpired: 'Your session has ended. Sign in again.',
  refusedSignInUnavailable: 'The sign-in service did not answer as it should. Try again in a moment.',
  refusedSignedOut: 'Sign in first, then try again.',
  refusedStorage:
    'The browser does not give out what it has stored. Close it, open it again, and try once more.',
  refusedTimeout: 'Billing took too long to answer. You were not charged. Try again.',
  refusedTooMany: 'That was a lot at once. Wait a moment and try again.',
  refusedTooManyAttempts: 'Too many attempts. Wait a few minutes and try again.',
  refusedWeakPassword: 'Choose a password of at least 6 characters.',
  refusedWrongAccount: 'This is another account than the one that is signed in. Choose the same one.',
} as const;
