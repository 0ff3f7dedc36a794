import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { MODEL_PLANS, type PlanName } from './catalog.ts';
import type { Arrival } from './delivery.ts';
import { type Expected, Oracle } from './oracle.ts';
import type { ProviderModel } from './provider-model.ts';
import type { StoredRecord } from './service.ts';
import type { Telling } from './truth.ts';

/** By change, the second that its events are stamped with; of several the earliest. */
export type Stamps = ReadonlyMap<number, number>;

export function stampsOf(arrivals: readonly Arrival[]): Stamps {
  const stamps = new Map<number, number>();
  for (const arrival of arrivals) {
    if (arrival.kind !== 'event') continue;
    const { change, event } = arrival;
    stamps.set(change.seq, Math.min(event.created, stamps.get(change.seq) ?? event.created));
  }
  return stamps;
}

/**
 * What the record must say once everything is known: the provider's own order is the truth and nothing else.
 *
 * @param stamps of the events that told it: which of two purchases within a second was the last, nothing else says
 */
export function finalTruth(provider: ProviderModel, now = 0, stamps: Stamps = new Map()): Expected {
  const truth = new Oracle(provider.imported);
  for (const { seq, telling, event } of provider.changes) {
    truth.tell(seq, telling, stamps.get(seq) ?? event.created);
  }
  return truth.expected(now);
}

/** A deleted account keeps subscriptions and a used trial: written from docs/decisions/account-deletion.md alone. */
export function closedTruth(provider: ProviderModel, now: number): Expected {
  const { imported } = provider;
  const truth = new Oracle(imported && { ...imported, plan: null, grants: [], credits: null });
  for (const { seq, telling, event } of provider.changes)
    if (!GIVEN_UP.has(telling.tells)) truth.tell(seq, telling, event.created);
  return truth.expected(now);
}

const GIVEN_UP: ReadonlySet<Telling['tells']> = new Set([
  'paid',
  'money_back',
  'refund_failed',
  'dispute',
  'hand_granted',
  'hand_revoked',
]);

/** What is wrong with the record's customer and with the claim, once everything is known. */
export function loneFaults(
  provider: ProviderModel,
  record: StoredRecord | null,
  claim: boolean | undefined,
  now: number,
): string[] {
  const faults: string[] = [];
  const { paid } = finalTruth(provider, now);
  // An import came without its claim: the first event of the account sets it.
  const isHeardOf = provider.changes.some(({ telling }) => telling.tells !== 'nothing');
  if (isHeardOf && (claim ?? false) !== paid) faults.push(`the claim says paid: ${claim}, the truth ${paid}`);
  const named = new Set(provider.changes.map(({ telling }) => customerIn(telling)));
  // Every earlier customer was deleted before this one was made.
  const isNamed = named.has(provider.customer);
  const isImported = provider.imported?.customer === provider.customer && !isDeleted(provider);
  const customer = isNamed || isImported ? provider.customer : null;
  const found = record?.customerId ?? null;
  if (found !== customer) faults.push(`the customer is ${found}, not ${customer}`);
  const beside = finalTruth(provider).planKind === 'lifetime' ? statusesOf(provider) : [];
  const shown = record?.runningBeside;
  if (shown === undefined ? beside.length > 0 : !beside.includes(shown))
    faults.push(`beside a lifetime plan ${shown} is shown, not one of [${beside.join(', ')}]`);
  return faults;
}

function isDeleted({ changes, customer }: ProviderModel): boolean {
  return changes.some(({ telling }) => telling.tells === 'customer_deleted' && telling.customer === customer);
}

/**
 * What is wrong with what was ended, once everything is known: beside a lifetime plan nothing may go on that bills for
 * what that plan has, and nothing is ended that always had more than any lifetime plan that was bought.
 */
export function endingFaults(provider: ProviderModel, ended: ReadonlySet<string>): string[] {
  const own = [...ended].filter((id) => provider.subscriptions.has(id));
  const bought = provider.changes.flatMap(({ telling }) =>
    telling.tells === 'paid' && telling.purchase.kind === 'lifetime' ? [telling.purchase.grants] : [],
  );
  const everOwned = provider.imported?.plan === LEGACY_LIFETIME_PLAN ? [[], ...bought] : bought;
  const faults = own
    .filter(
      (id) => !plansOf(provider, id).some((plan) => everOwned.length > 0 && hasAll(everOwned.flat(), plan)),
    )
    .map((id) => `${id} was ended, and no lifetime plan was ever bought that has what it has`);
  const { planKind, entitlements } = finalTruth(provider, FOR_GOOD);
  if (planKind !== 'lifetime') return faults;
  const billing = [...provider.subscriptions.values()]
    .filter(({ id, status, cancel }) => BILLS_ON.has(status) && cancel === 'no' && !ended.has(id))
    .filter(({ plan }) => hasAll(entitlements, plan));
  return [
    ...faults,
    ...billing.map(({ id, status }) => `${id} is ${status} beside a lifetime plan, and was not ended`),
  ];
}

/** When only lifetime plans still entitle. */
const FOR_GOOD = Date.UTC(2500, 0, 1);

function hasAll(owned: readonly string[], plan: PlanName): boolean {
  return MODEL_PLANS[plan].grants.every((name) => owned.includes(name));
}

/** Every plan that a subscription was of. */
function plansOf({ changes, before }: ProviderModel, id: string): readonly PlanName[] {
  const first = before.get(id);
  const told = changes.flatMap(({ telling }) =>
    telling.tells === 'subscription' && telling.state.id === id ? [telling.state.plan] : [],
  );
  return first === undefined ? told : [first.plan, ...told];
}

/** Of the subscriptions that any event told of. */
function statusesOf(provider: ProviderModel): string[] {
  const told = new Set(
    provider.changes.flatMap(({ telling }) => (telling.tells === 'subscription' ? [telling.state.id] : [])),
  );
  return [...provider.subscriptions.values()]
    .filter(({ id }) => told.has(id))
    .map(({ status }) => status)
    .filter((status) => BILLS_ON.has(status));
}

/** The model's own list: statuses that are charged again, or may be. */
const BILLS_ON: ReadonlySet<string> = new Set(['trialing', 'active', 'past_due', 'unpaid', 'paused']);

function customerIn(telling: Telling): string | null {
  switch (telling.tells) {
    case 'subscription':
    case 'schedule':
      return telling.state.customer;
    case 'paid':
    case 'money_back':
      return telling.purchase.customer;
    case 'grant':
    case 'customer':
      return telling.customer;
    case 'hand_granted':
    case 'hand_revoked':
    case 'refund_failed':
    case 'dispute':
    case 'invoice_dispute':
    case 'customer_deleted':
    case 'nothing':
      return null;
    default:
      return telling satisfies never;
  }
}
