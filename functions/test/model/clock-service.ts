import {
  advanceCredits,
  besidePools,
  creditsAt,
  OWNS_NOTHING,
  ownedCredits,
  ownedWith,
  periodEntry,
  toCreditFields,
} from '@extension-billing/contract/credits';
import type { CreditParts } from '@extension-billing/contract/customer';
import type { CustomerRecord } from '@extension-billing/contract/record';
import type { Pool } from '@extension-billing/contract/schedule';
import type {
  ConsumeCommand,
  CreditCommand,
  CreditDecision,
  ReserveCommand,
  SettleCommand,
} from '../../src/credits/commands.ts';
import { commitCredits } from '../../src/credits/commit.ts';
import { balancesAfter } from '../../src/credits/consume.ts';
import {
  parseUid,
  paths,
  readCustomer,
  toCustomerDocument,
  toEntryDocument,
} from '../../src/store/documents.ts';
import { MemoryFirestore } from './memory-firestore.ts';
import { entryOf, recordOf } from './read-state.ts';
import type { State } from './service.ts';

/** What an event makes of the pools, and of what is beside them. */
export interface Owned {
  readonly beside: CreditParts;
  readonly pools: readonly Pool[];
}

/** One account's credits behind several instances, without the provider: what changes them besides is `change`. */
export type ClockService = ReturnType<typeof clockService>;

const NEW: CustomerRecord = {
  ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
  ...{ customerId: null, trialUsed: false, updatedAt: 0 },
};

/** Firestore is unavailable, in gRPC's words. */
class Outage extends Error {
  readonly code = 14;
}

export function clockService(instanceCount: number) {
  const database = new MemoryFirestore();
  const instances = Array.from({ length: instanceCount }, () => database.connect());
  const ada = parseUid('ada');
  if (ada === null) throw new Error('ada is a uid');
  const uid = ada;
  const customer = () => paths.customer(database.connect(), uid);
  const snapshot = () => database.snapshot(database.doc(customer().path));
  const peace = { before: async () => {}, after: async () => {} };
  const stored = () => readCustomer(snapshot() as unknown as Parameters<typeof readCustomer>[0]);
  let changes = 0;

  return {
    /** @param lost the first commit happens, and its answer does not come */
    async send(instance: number, command: CreditCommand, now: number, lost = false): Promise<CreditDecision> {
      let toLose = lost;
      database.around = {
        ...peace,
        after: async (call) => {
          if (call !== 'commit' || !toLose) return;
          toLose = false;
          throw new Outage();
        },
      };
      const firestore = instances[instance % instances.length] ?? database.connect();
      return commitCredits(firestore, uid, command as ConsumeCommand, now);
    },

    /** As an event does: the account is brought to its instant, and what it then owns is changed, in one commit. */
    async change(now: number, change: (owned: Owned, at: number) => Owned): Promise<void> {
      database.around = peace;
      const record = stored();
      const at = Math.max(now, (record?.updatedAt ?? 0) + 1);
      const before = ownedCredits(record);
      const current = advanceCredits(before ?? OWNS_NOTHING, at);
      const { beside, pools } = change({ beside: besidePools(current), pools: current.pools }, at);
      const after = advanceCredits(ownedWith(beside, pools, null), at);
      const period = periodEntry(before, current, at);
      changes += 1;
      const batch = database.connect().batch();
      if (period !== null)
        batch.create(paths.entry(database.connect(), uid, period.id), toEntryDocument(period));
      const { allowance, packs } = after.balances;
      const entry = {
        ...({ id: `grant_${changes}`, kind: 'grant', eventId: '', reason: '', createdAt: at } as const),
        deltaAllowance: allowance - current.balances.allowance,
        deltaPack: packs - current.balances.packs,
        ...{ allowance, packCredits: packs },
      };
      batch.create(paths.entry(database.connect(), uid, entry.id), toEntryDocument(entry));
      const next = { ...(record ?? NEW), allowances: undefined, ...toCreditFields(after), updatedAt: at };
      const { allowances, ...rest } = next;
      const whole: CustomerRecord = allowances === undefined ? rest : { ...rest, allowances };
      batch.set(customer(), toCustomerDocument(whole), { merge: true });
      await batch.commit();
    },

    /** Past the service: the balances alone, with an entry so that the ledger still adds up. */
    async tamper(by: number): Promise<void> {
      database.around = peace;
      const record = stored();
      if (record?.creditsAllowance === undefined) return;
      const allowance = Math.max(0, record.creditsAllowance + by);
      const packCredits = record.packCreditsRemaining ?? 0;
      changes += 1;
      const batch = database.connect().batch();
      const entry = {
        ...({
          id: `correction_${changes}`,
          kind: 'correction',
          eventId: '',
          reason: '',
          createdAt: 0,
        } as const),
        ...{ deltaAllowance: allowance - record.creditsAllowance, deltaPack: 0, allowance, packCredits },
      };
      batch.create(paths.entry(database.connect(), uid, entry.id), toEntryDocument(entry));
      batch.update(customer(), { creditsAllowance: allowance, creditsRemaining: allowance + packCredits });
      await batch.commit();
    },

    record: stored,
    /** What a page shows at that instant, by the record that is stored. */
    shownAt: (now: number) => creditsAt(stored(), now),
    balanceOf: (decision: CreditDecision) =>
      'entry' in decision ? balancesAfter(decision.entry).balance : null,

    state(): State {
      const path = `${customer().path}/credit_ledger/`;
      const ledger = [...database.documents].filter(([key]) => key.startsWith(path));
      const data = snapshot().data();
      return {
        record: data === undefined ? null : recordOf(data),
        ledger: new Map(ledger.map(([key, entry]) => [key.slice(path.length), entryOf(entry.data)])),
      };
    },
  };
}

export type { ConsumeCommand, ReserveCommand, SettleCommand };
