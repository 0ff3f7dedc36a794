import type { Millis } from '@extension-billing/contract/customer';
import { type DaySummary, type Figures, NOTHING, readDay } from '@extension-billing/contract/days';
import type { CustomerRecord } from '@extension-billing/contract/record';
import catalog from '@extension-billing/contract/test/catalog';
import { DAY, dayOf, HOUR } from '@extension-billing/contract/time';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PureAccount } from '../../test/fixtures/account.ts';
import { MemoryFirestore } from '../../test/model/memory-firestore.ts';
import { type Facts, NO_FACTS, UNKNOWN_PURCHASE } from '../events/facts.ts';
import { parseUid, type Uid } from '../store/documents.ts';
import { LEASE_LASTS } from '../store/jobs.ts';
import { dearestOf, mayHaveEntries, type PaidInvoice, type ReportSource } from './accounts.ts';
import { DaySums } from './day-sums.ts';
import { type ReportedEntry, startOf } from './figures.ts';
import { figuresOfFacts } from './sales.ts';
import { summarizeDays } from './summarize.ts';

const MONDAY = Date.parse('2026-11-02');

interface User {
  record: CustomerRecord;
  readonly ledger: ReportedEntry[];
  facts: Facts;
}

/** Accounts as a database would have them, and the job on a real store of days. */
class World {
  readonly users = new Map<Uid, User>();
  readonly invoices: PaidInvoice[] = [];
  readonly database = new MemoryFirestore();
  now = MONDAY;
  /** Calls until one fails, as in a process that dies. */
  failsAfter = Number.POSITIVE_INFINITY;
  asked: Uid[] = [];
  atEachPage = (): void => {};

  constructor(users: number) {
    for (let index = 0; index < users; index += 1) {
      const uid = parseUid(`user-${String(index).padStart(3, '0')}`);
      const { record } = new PureAccount();
      if (uid === null) throw new Error('a uid');
      const base = record ?? { ...RECORD, updatedAt: 0 };
      this.users.set(uid, { record: base, ledger: [], facts: NO_FACTS });
    }
  }

  user(index: number): User {
    const user = [...this.users.values()][index % this.users.size];
    if (user === undefined) throw new Error('nobody');
    return user;
  }

  enter(index: number, over: Partial<ReportedEntry>, movesRecord = true): void {
    const user = this.user(index);
    user.ledger.push({ ...ENTRY, createdAt: this.now, ...over } as ReportedEntry);
    if (movesRecord) user.record = { ...user.record, updatedAt: this.now };
  }

  learn(index: number, facts: Facts): void {
    const user = this.user(index);
    user.facts = facts;
    user.record = { ...user.record, customerId: 'cus_1', updatedAt: this.now };
  }

  readonly #call = (): void => {
    this.failsAfter -= 1;
    if (this.failsAfter < 0) throw new Error('the process died');
  };

  readonly source: ReportSource = {
    accounts: async (after) => {
      this.#call();
      this.atEachPage();
      const uids = [...this.users.keys()].filter((uid) => after === null || uid > after).slice(0, 3);
      return uids.map((uid) => ({ id: uid, uid, record: this.users.get(uid)?.record ?? null }));
    },
    entries: (uid, { from, to }) => {
      this.asked.push(uid);
      const found = this.users.get(uid)?.ledger.filter(({ createdAt: at }) => at >= from && at < to) ?? [];
      return (async function* () {
        yield* found;
      })();
    },
    sales: async (uids) =>
      uids.map((uid) => ({
        uid,
        facts: this.users.get(uid)?.facts ?? NO_FACTS,
        reported: readReported(this.database, uid),
      })),
    invoices: async (after) => {
      this.#call();
      return this.invoices.filter(({ id }) => after === null || id > after).slice(0, 3);
    },
  };

  run(saveEvery = 0, within = HOUR) {
    this.database.around = { before: async () => this.#call(), after: async () => this.#call() };
    const deps = {
      firestore: this.database.connect(),
      now: () => this.now,
      catalog: () => catalog,
      log: SILENT,
    };
    return summarizeDays(deps, { saveEvery, within, source: this.source });
  }

  /** Runs until every day is closed, whatever dies on the way. */
  async finish(): Promise<void> {
    for (let run = 0; run < 500; run += 1) {
      this.now += LEASE_LASTS + 1;
      const ended = await this.run().catch(() => null);
      this.failsAfter = Number.POSITIVE_INFINITY;
      if (ended?.kind === 'nothing') return;
    }
    throw new Error('it never ends');
  }

  day(day: string): DaySummary {
    return readDay(this.database.documents.get(`billing_days/${day}`)?.data);
  }

  /** What a look at everything says of a day. */
  everythingOf(day: string): Pick<DaySummary, 'figures' | 'features'> {
    const sums = new DaySums();
    for (const { ledger, facts } of this.users.values()) {
      for (const entry of ledger) sums.countEntry(entry);
      for (const dated of figuresOfFacts(facts)) sums.count(dated);
    }
    for (const { at, isFree } of this.invoices) if (!isFree) sums.count({ at, figures: { invoices: 1 } });
    return sums.of(day);
  }
}

function readReported(database: MemoryFirestore, uid: Uid): Record<string, Partial<Figures>> {
  return database.documents.get(`billing_facts/${uid}`)?.data.reported ?? {};
}

const RECORD: CustomerRecord = {
  ...{ paid: false, plan: null, status: null, cancelAtPeriodEnd: false, currentPeriodEnd: null },
  ...{ customerId: null, trialUsed: false, updatedAt: 0 },
  ...{ creditsRemaining: 100, creditsAllowance: 100, packCreditsRemaining: 0 },
};
const ENTRY: ReportedEntry = {
  ...{ kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', allowance: 0, createdAt: 0 },
  ...{ deltaAllowance: -1, deltaPack: 0, granted: 0, byHand: false },
};
const SILENT = { info: () => {}, warn: () => {}, error: () => {}, of: () => SILENT };

/** A lifetime plan, and what of it went back until then. */
function lifetime(
  paidAt: Millis,
  refunds: Readonly<Record<string, { at: Millis; refunded: number }>> = {},
): Facts {
  const purchase = { ...UNKNOWN_PURCHASE, product: 'lifetime' as const, paidAt, refunds };
  return { ...NO_FACTS, purchases: { pi_1: purchase } };
}

describe('the days that are added up', () => {
  it('count everything once, whatever dies on the way and however late it is told', async () => {
    const what = fc.constantFrom(
      ...(['spend', 'spend', 'lifetime', 'refund', 'invoice', 'late invoice'] as const),
      ...(['run', 'run', 'die', 'die'] as const),
    );
    const steps = fc.array(fc.record({ what, who: fc.nat(7), hours: fc.nat(20), calls: fc.nat(40) }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (program) => {
        const world = new World(8);
        world.now += DAY + HOUR;
        await world.finish();
        const since = dayOf(world.now);
        for (const { what: step, who, hours, calls } of program) {
          world.now += hours * HOUR;
          const id = `evt_${String(world.invoices.length).padStart(3, '0')}`;
          if (step === 'spend') world.enter(who, { deltaAllowance: -(who + 1) });
          if (step === 'lifetime') world.learn(who % 2, lifetime(world.now));
          if (step === 'refund' && world.user(who % 2).facts !== NO_FACTS) {
            const paidAt = world.user(who % 2).facts.purchases.pi_1?.paidAt ?? 0;
            world.learn(
              who,
              lifetime(paidAt, { re_1: { at: Math.max(paidAt, world.now - DAY), refunded: 5 } }),
            );
          }
          if (step === 'invoice') {
            const free = who % 2 === 0 && { isFree: true as const };
            world.invoices.push({ id, at: world.now, appliedAt: world.now, ...free });
          }
          if (step === 'late invoice') {
            world.invoices.push({
              id,
              at: Math.max(startOf(since), world.now - 2 * DAY),
              appliedAt: world.now,
            });
          }
          if (step === 'run') await world.run();
          if (step === 'die') {
            world.failsAfter = calls;
            await world.run().catch(() => null);
            world.failsAfter = Number.POSITIVE_INFINITY;
            world.now += LEASE_LASTS + 1;
          }
        }
        world.now += DAY;
        await world.finish();
        for (let at = startOf(since); at < startOf(dayOf(world.now)); at += DAY) {
          const { figures, features, closedAt } = world.day(dayOf(at));
          expect(closedAt).toBeDefined();
          expect({ figures, features }).toEqual(world.everythingOf(dayOf(at)));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are added up by one process where two begin at once', async () => {
    const world = new World(8);
    for (let index = 0; index < 8; index += 1) world.enter(index, {});
    world.now += DAY + HOUR;
    const others: Promise<unknown>[] = [];
    world.atEachPage = () => void others.push(world.run());
    expect(await world.run()).toMatchObject({ kind: 'summarized', finished: true });
    expect(others.length).toBeGreaterThan(2);
    for (const other of others) expect(await other).toEqual({ kind: 'elsewhere' });
    expect(world.day('2026-11-02').figures).toEqual({ ...NOTHING, spends: 8, spent: 8 });
  });

  it('wait until what was asked before midnight is committed', async () => {
    const world = new World(1);
    world.now = MONDAY + DAY + 14 * 60 * 1000;
    await world.run();
    world.enter(0, { createdAt: MONDAY + DAY - 1 });
    expect(world.day('2026-11-02').closedAt).toBeUndefined();
    world.now = MONDAY + DAY + 20 * 60 * 1000;
    await world.run();
    expect(world.day('2026-11-02')).toMatchObject({ figures: { spends: 1 }, closedAt: expect.any(Number) });
  });

  it('are not counted again by a job that was told to begin at the start', async () => {
    const world = new World(9);
    const everything = (days: readonly string[]) => days.map((day) => world.everythingOf(day));
    const counted = (days: readonly string[]) =>
      days.map((day) => {
        const { figures, features } = world.day(day);
        return { figures, features };
      });
    const days = ['2026-11-02', '2026-11-03', '2026-11-04'];
    const forget = () => world.database.documents.delete('billing_jobs/summarizeDays');
    const live = (): void => {
      for (let index = 0; index < 9; index += 1) world.enter(index, {});
      world.invoices.push({ id: `evt_${world.now}`, at: world.now, appliedAt: world.now });
    };
    live();
    world.learn(1, lifetime(world.now));
    world.now += DAY + HOUR;
    await world.run();
    live();
    world.learn(1, lifetime(MONDAY, { re_1: { at: world.now, refunded: 5 } }));
    world.learn(2, lifetime(world.now));
    forget();
    expect(await world.run()).toEqual({ kind: 'nothing' });
    world.now += DAY;
    // A part of the second day, of users with sales.
    expect(await world.run(0, 0)).toMatchObject({ finished: false });
    forget();
    live();
    world.now += DAY;
    await world.finish();
    expect(counted(days)).toEqual(everything(days));
    // The days as well: they come back, and nothing of earlier ones.
    forget();
    for (const day of days) world.database.documents.delete(`billing_days/${day}`);
    await world.finish();
    expect(counted(days)).toEqual(everything(days));
  });

  it('go on in the next run where the time was over, from the same account', async () => {
    const world = new World(9);
    for (let index = 0; index < 9; index += 1) world.enter(index, {});
    world.now += DAY + HOUR;
    const runs = [];
    do runs.push(await world.run(0, 0));
    while (runs.at(-1)?.kind !== 'nothing' && runs.length < 50);
    expect(runs.length).toBeGreaterThan(4);
    expect(world.asked.length).toBe(9);
    expect(world.day('2026-11-02').figures).toEqual({ ...NOTHING, spends: 9, spent: 9 });
  });

  it('count what is told of a buyer whose customer was deleted at the provider', async () => {
    const world = new World(2);
    world.learn(1, lifetime(world.now, { re_1: { at: world.now, refunded: 5 } }));
    world.user(1).record = { ...world.user(1).record, customerId: null };
    world.enter(1, { kind: 'clawback', deltaAllowance: 0, deltaPack: -50 });
    world.now += DAY + HOUR;
    await world.run();
    expect(world.day('2026-11-02').figures).toMatchObject({ clawedBack: 50, refunds: 1 });
  });

  it('say what all accounts own, as of the look', async () => {
    const world = new World(8);
    world.now += 3 * DAY + HOUR;
    await world.run();
    const standing = { customers: 8, allowance: 800, available: 800 };
    for (const day of ['2026-11-03', '2026-11-04']) {
      expect(world.day(day)).toMatchObject({ standing, closedAt: world.now });
    }
  });
});

describe('who is asked for a ledger', () => {
  it('is nobody who did nothing since, except who may have been refused', async () => {
    const world = new World(4);
    world.now += 10 * DAY;
    const since = world.now;
    world.enter(1, {});
    const poor = world.user(2);
    poor.record = { ...poor.record, creditsRemaining: 0, creditsAllowance: 0 };
    world.enter(2, { outcome: 'exhausted', deltaAllowance: 0 }, false);
    const asked = [...world.users.values()].map(({ record }) =>
      mayHaveEntries(record, since, since + DAY, dearestOf(catalog)),
    );
    expect(asked).toEqual([false, true, true, false]);
  });
});
