import { balancesOf, NO_CREDITS } from '@extension-billing/contract/available-credits';
import type { CustomerRecord, Millis } from '@extension-billing/contract/customer';
import { type Balances, totalOf } from './balance.ts';
import { type Account, derive } from './derive.ts';
import type { Difference } from './difference.ts';

/** Stands in where an event would: nothing happened, only what is known is derived once more. */
export const NOTHING_NEW = { kind: 'customer_seen', at: 0 } as const;

/** Where a record is not what its facts say. `updatedAt` moves with every write and says nothing. */
export function compareWithFacts(account: Account, now: Millis): readonly Difference[] {
  const event = { id: 'check', type: 'check', at: 0, customer: null, fact: NOTHING_NEW };
  const { record } = derive(account, account.facts, event, now);
  const isBounded = account.record?.entitledUntil !== undefined;
  return fieldsOf(record).flatMap((field): readonly Difference[] => {
    // A record from before there was a bound gets it with its next event.
    if (field === 'entitledUntil' && !isBounded) return [];
    const here = show(account.record?.[field]);
    const should = show(record[field]);
    return here === should
      ? []
      : [{ kind: 'record', about: field, here, should, repair: { kind: 'derive' } }];
  });
}

function fieldsOf(record: CustomerRecord): readonly (keyof CustomerRecord)[] {
  const fields = new Set(Object.keys(record) as (keyof CustomerRecord)[]);
  // The one field that an event takes away again.
  fields.add('runningSubscription').delete('updatedAt');
  return [...fields];
}

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** The invariant of design section 4: the deltas of the ledger add up to the record. */
export function compareWithLedger(record: CustomerRecord | null, ledger: Balances): readonly Difference[] {
  const balances = balancesOf(record) ?? NO_CREDITS;
  if (balances.allowance === ledger.allowance && balances.packs === ledger.packs) return [];
  const here = describe(ledger);
  return [{ kind: 'ledger', about: 'sum', here, should: describe(balances), repair: { kind: 'derive' } }];
}

function describe(balances: Balances): string {
  return `${totalOf(balances)} = ${balances.allowance} allowance + ${balances.packs} packs`;
}
