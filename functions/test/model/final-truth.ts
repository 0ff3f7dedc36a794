import { type Expected, Oracle } from './oracle.ts';
import type { ProviderModel } from './provider-model.ts';
import type { StoredRecord } from './service.ts';
import type { Telling } from './truth.ts';

/** What the record must say once everything is known: the provider's own order is the truth and nothing else. */
export function finalTruth(provider: ProviderModel): Expected {
  const truth = new Oracle(provider.imported);
  for (const { seq, telling, event } of provider.changes) truth.tell(seq, telling, event.created);
  return truth.expected();
}

/** What is wrong with the record's customer and with the claim, once everything is known. */
export function loneFaults(
  provider: ProviderModel,
  record: StoredRecord | null,
  claim: boolean | undefined,
): string[] {
  const faults: string[] = [];
  const { paid } = finalTruth(provider);
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
  return faults;
}

function isDeleted({ changes, customer }: ProviderModel): boolean {
  return changes.some(({ telling }) => telling.tells === 'customer_deleted' && telling.customer === customer);
}

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
    case 'customer_deleted':
    case 'nothing':
      return null;
    default:
      return telling satisfies never;
  }
}
