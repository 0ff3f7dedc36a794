import { balancesOf } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import type { Firestore } from 'firebase-admin/firestore';
import { totalOf } from '../domain/balance.ts';
import { NOTHING_NEW } from '../domain/compare-record.ts';
import { derive } from '../domain/derive.ts';
import type { EventEntry } from '../domain/ledger.ts';
import type { Uid } from '../domain/uid.ts';
import { FACT_FIELDS, readFacts, toFactsDocument } from './accounts.ts';
import { readCustomer, toCustomerDocument } from './customers.ts';
import { toEntryDocument } from './ledger-entries.ts';
import { paths } from './paths.ts';
import { requireKnownSchema } from './schema-version.ts';
import { sumLedger } from './sum-ledger.ts';
import { transact } from './transact.ts';

/**
 * Derives a record again from the facts, and books what the ledger lacks to add up to it, in one transaction.
 * The facts decide what a balance can be; what is missing from it without an entry counts as spent.
 *
 * @param id of the correction; the same one twice writes once
 */
export function commitDerived(firestore: Firestore, uid: Uid, id: string, now: Millis): Promise<void> {
  const factsRef = paths.facts(firestore, uid);
  const customerRef = paths.customer(firestore, uid);
  const entryRef = paths.entry(firestore, uid, `correction_${id}`);

  return transact(firestore, async (transaction) => {
    const [facts, customer, done] = await transaction.getAll(factsRef, customerRef, entryRef);
    requireKnownSchema(facts, customer);
    const stored = readFacts(facts);
    if (stored === null || done?.exists === true) return;
    const ledger = await sumLedger(firestore, transaction, uid);
    const event = { id, type: 'reconcile', at: now, customer: null, fact: NOTHING_NEW };
    const { books, record } = derive({ ...stored, record: readCustomer(customer) }, stored.facts, event, now);
    transaction.set(factsRef, toFactsDocument({ facts: stored.facts, books }), {
      mergeFields: [...FACT_FIELDS],
    });
    transaction.set(customerRef, toCustomerDocument(record), { merge: true });
    const after = balancesOf(record);
    if (after === null || (after.allowance === ledger.allowance && after.packs === ledger.packs)) return;
    const entry: EventEntry = {
      id: entryRef.id,
      kind: 'correction',
      reason: `the ledger added up to ${totalOf(ledger)}`,
      eventId: id,
      deltaAllowance: after.allowance - ledger.allowance,
      deltaPack: after.packs - ledger.packs,
      allowance: after.allowance,
      packCredits: after.packs,
      createdAt: record.updatedAt,
    };
    transaction.create(entryRef, toEntryDocument(entry));
  });
}
