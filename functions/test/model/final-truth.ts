import { LEGACY_LIFETIME_PLAN } from '@extension-billing/contract/customer';
import { LIFETIME } from './catalog.ts';
import { type Expected, Oracle } from './oracle.ts';
import type { ProviderModel } from './provider-model.ts';
import type { StoredRecord } from './service.ts';
import type { Telling } from './truth.ts';

/** What the record must say once everything is known: the provider's own order is the truth and nothing else. */
export function finalTruth(provider: ProviderModel, now = 0): Expected {
  const truth = new Oracle(provider.imported);
  for (const { seq, telling, event } of provider.changes) truth.tell(seq, telling, event.created);
  return truth.expected(now);
}

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
  const beside = isForGood(finalTruth(provider).plan) ? statusesOf(provider) : [];
  const shown = record?.runningBeside;
  if (shown === undefined ? beside.length > 0 : !beside.includes(shown))
    faults.push(`beside a lifetime plan ${shown} is shown, not one of [${beside.join(', ')}]`);
  return faults;
}

/** Bought for good here, or brought along from before a record said what kind of plan it shows. */
function isForGood(plan: string | null): boolean {
  return plan === LIFETIME.lookupKey || plan === LEGACY_LIFETIME_PLAN;
}

function isDeleted({ changes, customer }: ProviderModel): boolean {
  return changes.some(({ telling }) => telling.tells === 'customer_deleted' && telling.customer === customer);
}

/**
 * What is wrong with what was ended, once everything is known: beside a lifetime plan nothing may go on that bills, and
 * nothing is ended for those who never had one.
 */
export function endingFaults(provider: ProviderModel, ended: ReadonlySet<string>): string[] {
  const own = [...ended].filter((id) => provider.subscriptions.has(id));
  const hadLifetime =
    provider.imported?.plan === LEGACY_LIFETIME_PLAN ||
    provider.changes.some(({ telling }) => telling.tells === 'paid' && telling.purchase.kind === 'lifetime');
  if (!hadLifetime) return own.map((id) => `${id} was ended, and no lifetime plan was ever bought`);
  if (!isForGood(finalTruth(provider).plan)) return [];
  return [...provider.subscriptions.values()]
    .filter(({ id, status, cancel }) => BILLS_ON.has(status) && cancel === 'no' && !ended.has(id))
    .map(({ id, status }) => `${id} is ${status} beside a lifetime plan, and was not ended`);
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
      return telling.state.customer;
    case 'paid':
    case 'money_back':
      return telling.purchase.customer;
    case 'grant':
    case 'customer':
      return telling.customer;
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
