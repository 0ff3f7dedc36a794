import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { DAY } from '@extension-billing/contract/time';
import type { DocumentData } from 'firebase-admin/firestore';
import { Timestamp } from 'firebase-admin/firestore';
import type { ImportAction } from './action.ts';
import { MODEL_PLANS } from './catalog.ts';
import { invoiceIdOf, type ProviderModel } from './provider-model.ts';
import type { ImportTruth, SubscriptionTruth } from './truth.ts';

/** Gives the account what it had elsewhere. Without effect once something has happened here. */
export function importAccount(provider: ProviderModel, action: ImportAction): void {
  if (provider.changes.length > 0 || provider.imported !== null) return;
  const { plan, trialUsed, credits, takenIds } = action;
  const running = plan === null || plan === LEGACY_LIFETIME_PLAN ? null : runningElsewhere(provider, plan);
  const spent = Math.min(credits?.spent ?? 0, credits?.monthly ?? 0);
  provider.imported = {
    plan,
    grants: plan === null || plan === LEGACY_LIFETIME_PLAN ? [] : MODEL_PLANS[plan].grants,
    customer: provider.customer,
    currentPeriodEnd: running?.periodEnd ?? null,
    trialUsed,
    credits: credits && {
      granted: credits.monthly,
      allowance: credits.monthly - spent,
      packs: credits.packs,
    },
    ledger: takenIds ? idsOfFirst(provider.uid) : [],
  };
}

/** A subscription that began ten days ago, when nobody reported to this service. */
function runningElsewhere(
  provider: ProviderModel,
  plan: Exclude<ImportTruth['plan'], typeof LEGACY_LIFETIME_PLAN | null>,
): SubscriptionTruth {
  const start = provider.now - 10 * DAY;
  const state: SubscriptionTruth = {
    id: provider.id('sub'),
    customer: provider.customer,
    plan,
    bought: plan,
    quantity: 1,
    addOn: false,
    status: 'active',
    cancel: 'no',
    createdAt: start,
    periodStart: start,
    periodEnd: start + MODEL_PLANS[plan].length,
    trialEnd: null,
    pause: null,
    currency: 'usd',
    discounted: false,
    schedule: null,
  };
  provider.subscriptions.set(state.id, state);
  provider.before.set(state.id, state);
  return state;
}

/** Ledger ids of the first things that can happen, as a ledger that was kept elsewhere may have used them. */
function idsOfFirst(uid: string): readonly string[] {
  const numbers = [1, 2, 3, 4, 5, 6];
  return ['drop_sub', 'grant_pi', 'clawback_dp', 'restore_dp', 'opening_evt']
    .flatMap((prefix) => numbers.map((number) => `${prefix}_${uid}_${number}`))
    .concat(numbers.map((number) => `allowance_${invoiceIdOf(uid, number)}`))
    .concat(`opening_evt_${uid}_0`);
}

/**
 * What is stored before the first event, by path: whose each customer is, as checkout writes it, and an import as whoever
 * moved the account here wrote it.
 */
export function documentsBefore(provider: ProviderModel): ReadonlyMap<string, DocumentData> {
  const owners = provider.customers.map((id): [string, DocumentData] => [
    `provider_customers/${id}`,
    { uid: provider.uid },
  ]);
  return new Map([...owners, ...importedDocuments(provider)]);
}

function importedDocuments({ uid, imported }: ProviderModel): ReadonlyMap<string, DocumentData> {
  if (imported === null) return new Map();
  const { plan, grants, customer, currentPeriodEnd, trialUsed, credits, ledger } = imported;
  const record: DocumentData = {
    paid: plan !== null,
    plan,
    status: plan === null ? null : 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: currentPeriodEnd === null ? null : Timestamp.fromMillis(wholeSeconds(currentPeriodEnd)),
    customerId: customer,
    trialUsed,
    ...(plan !== null && { entitlements: grants }),
    updatedAt: Timestamp.fromMillis(1_700_000_000_000),
    ...(credits !== null && {
      creditsRemaining: credits.allowance + credits.packs,
      creditsAllowance: credits.allowance,
      packCreditsRemaining: credits.packs,
      monthlyCredits: credits.granted,
    }),
  };
  const nothing = { kind: 'grant', deltaAllowance: 0, deltaPack: 0, allowance: 0, packCredits: 0 };
  return new Map([
    [`customers/${uid}`, record],
    ...ledger.map((id): [string, DocumentData] => [`customers/${uid}/credit_ledger/${id}`, nothing]),
  ]);
}

/** The provider speaks of whole seconds, and so did whoever copied its answer. */
export function wholeSeconds(millis: number): number {
  return Math.floor(millis / 1000) * 1000;
}

/** What the ledger of an import lacks until its first event opens it: the credits that were found. */
export function owedToLedger(
  imported: ImportTruth | null,
  ledger: ReadonlyMap<string, { readonly kind: string }>,
): { readonly allowance: number; readonly packs: number } {
  const isOpen = [...ledger.values()].some(({ kind }) => kind === 'opening');
  if (imported?.credits == null || isOpen) return { allowance: 0, packs: 0 };
  const { allowance, packs } = imported.credits;
  return { allowance, packs };
}
