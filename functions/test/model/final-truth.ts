import { type Expected, Oracle } from './oracle.ts';
import type { ProviderModel } from './provider-model.ts';
import type { StoredRecord } from './service.ts';
import type { Telling } from './truth.ts';

/** What the record must say once everything is known: the provider's own order is the truth and nothing else. */
export function finalTruth(provider: ProviderModel): Expected {
  const truth = new Oracle();
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
  if ((claim ?? false) !== paid) faults.push(`the claim says paid: ${claim}, the truth ${paid}`);
  const named = new Set(provider.changes.map(({ telling }) => customerIn(telling)));
  // Every earlier customer was deleted before this one was made.
  const customer = named.has(provider.customer) ? provider.customer : null;
  const found = record?.customerId ?? null;
  if (found !== customer) faults.push(`the customer is ${found}, not ${customer}`);
  return faults;
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
