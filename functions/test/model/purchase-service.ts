import { creditsAt } from '@extension-billing/contract/credits';
import { type LedgerEntry, sumOf } from '@extension-billing/contract/ledger';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { DocumentSnapshot } from 'firebase-admin/firestore';
import { commitCredits } from '../../src/credits/commit.ts';
import { commitEvent, readFacts } from '../../src/events/apply.ts';
import { compareWithFacts, compareWithLedger } from '../../src/reconcile/compare.ts';
import { parseUid, readCustomer } from '../../src/store/documents.ts';
import type { Fact } from '../../src/stripe/facts.ts';
import { MemoryFirestore } from './memory-firestore.ts';

/** The service's own code, as far as facts and features go: on two instances whose clocks are 90 s off. */
export function purchaseService() {
  const database = new MemoryFirestore();
  const ada = parseUid('ada');
  if (ada === null) throw new Error('ada is a uid');
  const uid = ada;
  const catalog = () => testCatalog;
  const instances = [90_000, -90_000].map((isOff) => ({ firestore: database.connect(), isOff }));
  let turn = 0;
  let keys = 0;
  const inTurn = <Result>(
    run: (firestore: ReturnType<MemoryFirestore['connect']>, isOff: number) => Result,
  ) => {
    turn += 1;
    const { firestore, isOff } = instances[turn % instances.length] ?? {
      firestore: database.connect(),
      isOff: 0,
    };
    return run(firestore, isOff);
  };
  return {
    hear: (id: string, fact: Fact, now: number) =>
      inTurn(async (firestore, isOff) => {
        const event = { id, type: fact.kind, at: fact.at, customer: 'cus', fact };
        return (await commitEvent({ firestore, catalog }, uid, event, now + isOff)).kind;
      }),
    /** Whether it was there. */
    spend: (cost: number, now: number) =>
      inTurn(async (firestore, isOff) => {
        keys += 1;
        const command = { kind: 'consume', key: `key-${keys}`, feature: 'demo', cost } as const;
        return (await commitCredits(firestore, uid, command, now + isOff)).kind === 'granted';
      }),
    /** What is stored, and what of it a look at the account would find wrong. */
    look(now: number) {
      const at = (path: string) => database.snapshot(database.doc(path)) as unknown as DocumentSnapshot;
      const record = readCustomer(at('customers/ada'));
      const stored = readFacts(at('billing_facts/ada'));
      const entries = [...database.documents].filter(([path]) => path.includes('/credit_ledger/'));
      const ledger = sumOf(entries.map(([, { data }]) => data as LedgerEntry));
      const differences =
        stored === null
          ? []
          : [
              ...compareWithFacts({ ...stored, record }, now, testCatalog),
              ...compareWithLedger(record, ledger),
            ];
      // Whose plan has lapsed is told that by the next look; the credits are right before it.
      const faults = differences
        .filter(
          ({ about }) => about === 'allowances' || about === 'sum' || /credits.*ing|Allowance$/.test(about),
        )
        .map(({ about, here, should }) => `${about} is ${here}, not ${should}`);
      return { updatedAt: record?.updatedAt ?? 0, faults, has: (at: number) => creditsAt(record, at) };
    },
  };
}
