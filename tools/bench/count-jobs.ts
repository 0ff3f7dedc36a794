// npm run suite -- node tools/bench/count-jobs.ts: counts what the scheduled jobs ask of Firestore and of the provider for
// each account, and the bytes that are stored and answered; writes docs/operations.json and the pages made of it. What is
// counted does not depend on how busy the machine is.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConsumeEntry } from '@extension-billing/contract/ledger';
import { ROLLED_ID } from '@extension-billing/contract/ledger-pages';
import embedded from '../../billing.config.ts';
import { compactOnSchedule } from '../../functions/src/ledger/all.ts';
import { compactLedger } from '../../functions/src/ledger/compact.ts';
import { checkDaily } from '../../functions/src/reconcile/daily.ts';
import type { CheckDeps } from '../../functions/src/reconcile/user.ts';
import { summarizeDays } from '../../functions/src/report/summarize.ts';
import { bytesOfDocument, paths, toEntryDocument, type Uid } from '../../functions/src/store/documents.ts';
import { aConfig } from '../../functions/test/app/config.ts';
import { auth, firestore } from '../../functions/test/app/emulated-user.ts';
import { provider, servers } from '../../functions/test/app/suite.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { aBuyer } from '../../functions/test/fixtures/buyer.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import * as simulator from '../../functions/test/fixtures/simulator.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { writeCostPage } from '../cost/cost-page.ts';
import type { CountedJob, Operated } from '../cost/counted.ts';
import { indexOfRolled } from '../cost/sizes.ts';
import { costOf } from './row-cost.ts';
import { signUpUsers } from './world.ts';

/** Accounts of each kind: enough that what a job reads once does not pass for what it reads of each. */
const ACCOUNTS = 10;
/** Spends of each on a day that is added up. */
const SPENDS = 20;
/** Spends of a small and of a large month that is rolled. */
const ROLLED = [20, 1_000] as const;
const DAY = 86_400_000;
/** BILLING_LEDGER_DAYS, where nobody sets it. */
const LEDGER_DAYS = aConfig().ledgerDays;

type Cost = CountedJob['each'];

class Counting {
  readonly deps: CheckDeps;
  readonly #proxy: FirestoreProxy;
  #asked = 0;
  /** Days that the jobs' clock is ahead. */
  ahead = 0;

  constructor(proxy: FirestoreProxy) {
    const stripe = provider();
    stripe.on('request', () => {
      this.#asked += 1;
    });
    this.#proxy = proxy;
    this.deps = {
      ...{ firestore: clientThrough(proxy), auth, stripe: async () => stripe, log: quiet },
      now: () => Date.now() + this.ahead * DAY,
      config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }),
      catalog: () => embedded,
    };
  }

  async count(work: (deps: CheckDeps) => Promise<unknown>): Promise<Cost> {
    const before = this.#asked;
    const { calls, reads, writes, deletes } = await costOf(this.#proxy, () => work(this.deps));
    return { calls: calls.length, reads, writes, deletes, providerCalls: this.#asked - before };
  }

  /** What closing a day takes, so many days from today. */
  async closing(day: number): Promise<Cost> {
    this.ahead = day;
    await summarizeDays(this.deps);
    this.ahead = day + 1;
    const cost = await this.count(summarizeDays);
    this.ahead = 0;
    return cost;
  }
}

const quiet: CheckDeps['log'] = { info() {}, warn() {}, error() {}, of: () => quiet };

/** For each of so many, what one count has more than another. */
function more(after: Cost, before: Cost, among: number): Cost {
  const each = (name: keyof Cost): number => (after[name] - before[name]) / among;
  return {
    ...{ calls: each('calls'), reads: each('reads'), writes: each('writes') },
    ...{ deletes: each('deletes'), providerCalls: each('providerCalls') },
  };
}

const times = (count: number, cost: Cost): Cost => more(cost, NOTHING, 1 / count);
const NOTHING: Cost = { calls: 0, reads: 0, writes: 0, deletes: 0, providerCalls: 0 };

/** Accounts with a subscription, which have spent once. */
async function addPayers(): Promise<readonly Uid[]> {
  const uids: Uid[] = [];
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const buyer = await aBuyer();
    await buyer.buy(sold.metered.lookupKey);
    await simulator.delivered();
    await buyer.consume(sold.feature);
    uids.push(buyer.uid);
  }
  return uids;
}

/** Spends of a day, or of the days from it on, as requests leave them. */
async function addSpends(uid: Uid, count: number, from: number, within: number): Promise<void> {
  const entries = Array.from({ length: count }, (_, n): ConsumeEntry => {
    const createdAt = Math.floor(from + (n * within) / count + Math.random() * 1_000);
    return {
      ...{
        id: `consume_${randomUUID()}`,
        kind: 'consume',
        feature: sold.feature,
        cost: 1,
        outcome: 'granted',
      },
      ...{ deltaAllowance: -1, deltaPack: 0, allowance: 1_000 - n, packCredits: 0, createdAt },
      correlationId: randomUUID(),
    };
  });
  for (let start = 0; start < count; start += 400) {
    const batch = firestore.batch();
    for (const entry of entries.slice(start, start + 400))
      batch.set(paths.entry(firestore, uid, entry.id), toEntryDocument(entry));
    await batch.commit();
  }
}

/** The comparison runs a day for what it has to put right, and five that are counted. */
const COMPARED_DAYS = [1, 5] as const;
/** Hours from now on the comparison's clock: of three countings the last is over before a trial is, and nothing lapses. */
let hours = -2 * 24 * (COMPARED_DAYS[0] + COMPARED_DAYS[1]);

/** A day of the comparison in the mean: some of it is due each hour, some each day, and a little each week. */
async function countDay(counting: Counting): Promise<Cost> {
  const [before, counted] = COMPARED_DAYS;
  const goOn = async (deps: CheckDeps, days: number): Promise<void> => {
    for (let run = 0; run < 24 * days; run += 1) {
      hours += 1;
      const ahead = (hours * DAY) / 24;
      await checkDaily({ ...deps, now: () => Date.now() + ahead });
    }
  };
  await goOn(counting.deps, before);
  return more(await counting.count((deps) => goOn(deps, counted)), NOTHING, counted);
}

/** The comparison: for nobody, for accounts that are not at the provider, for subscribers. */
async function countComparison(
  counting: Counting,
): Promise<{ readonly jobs: readonly CountedJob[]; readonly payers: readonly Uid[] }> {
  const none = await countDay(counting);
  await signUpUsers(firestore, ACCOUNTS);
  const free = await countDay(counting);
  const payers = await addPayers();
  const all = await countDay(counting);
  const job = 'reconcileDaily';
  return {
    payers,
    jobs: [
      { job, of: 'run', each: none },
      { job, of: 'free', each: more(free, none, ACCOUNTS) },
      { job, of: 'payer', each: more(all, free, ACCOUNTS) },
    ],
  };
}

/** The days' figures. Before anybody is there: see `main`. */
async function countSummaries(
  counting: Counting,
  none: Cost,
  payers: readonly Uid[],
): Promise<readonly CountedJob[]> {
  const today = Math.floor(Date.now() / DAY) * DAY;
  for (const uid of payers) await addSpends(uid, SPENDS, today + DAY, DAY / 2);
  const spent = await counting.closing(1);
  const asked = await counting.closing(2);
  const idle = await counting.closing(20);
  const job = 'summarizeDays';
  const everybody = 2 * ACCOUNTS;
  const each = more(idle, none, everybody);
  counting.ahead = 21;
  const nothing = await counting.count(summarizeDays);
  counting.ahead = 0;
  return [
    { job, of: 'run', each: nothing },
    { job, of: 'free', each },
    { job, of: 'payer', each },
    { job, of: 'active', each: more(asked, idle, everybody) },
    { job, of: 'spend', each: more(spent, asked, ACCOUNTS * SPENDS) },
  ];
}

/** Rolling: a look at ledgers with nothing old, then months of few and of many spends. */
async function countCompaction(counting: Counting): Promise<Pick<Operated, 'jobs' | 'compaction'>> {
  const { firestore: through, now } = counting.deps;
  // A month is rolled as a whole: the one before this one is looked at, and nobody was there.
  const all = await counting.count((deps) => compactOnSchedule(deps, LEDGER_DAYS));
  const idle = await counting.count((deps) => compactOnSchedule(deps, LEDGER_DAYS));
  const accounts = (await firestore.collection('customers').count().get()).data().count;
  const month = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() - 5);
  const months = [];
  for (const spends of ROLLED) {
    // As long as Firebase's.
    const uid = asUid(`rolled-${randomUUID()}`.slice(0, 28));
    await addSpends(uid, spends, month, 28 * DAY);
    const cost = await counting.count(() => compactLedger(through, uid, month + 31 * DAY, now()));
    const pages = await paths.customer(firestore, uid).collection('ledger_pages').get();
    const rolled = await paths.entry(firestore, uid, ROLLED_ID).get();
    const bytes = [...pages.docs, rolled].map((each) => bytesOfDocument(each.ref.path, each.data() ?? {}));
    months.push({ spends, cost, bytes: bytes.reduce((sum, each) => sum + each, indexOfRolled(uid)) });
  }
  const [few, many] = months;
  if (few === undefined || many === undefined) throw new Error('nothing was rolled');
  const between = many.spends - few.spends;
  const spend = more(many.cost, few.cost, between);
  const bytesOfSpend = (many.bytes - few.bytes) / between;
  const fixed = more(few.cost, times(few.spends, spend), 1);
  const job = 'compactLedgers';
  const looked = more(all, idle, accounts);
  return {
    jobs: [
      { job, of: 'run', each: idle },
      { job, of: 'free', each: looked },
      { job, of: 'payer', each: looked },
      { job, of: 'active', each: fixed },
      { job, of: 'spend', each: spend },
    ],
    compaction: { bytesOfSpend, bytesOfAccount: few.bytes - bytesOfSpend * few.spends, days: LEDGER_DAYS },
  };
}

/** What stands in the store for a payer, by Firestore's own reckoning of its size. */
async function bytesOf(uid: Uid): Promise<Operated['bytes']> {
  const size = async (path: string): Promise<number> => {
    const data = (await firestore.doc(path).get()).data();
    if (data === undefined) throw new Error(`there is no ${path}`);
    return bytesOfDocument(path, data);
  };
  const events = await firestore.collection('billing_events').where('uids', 'array-contains', uid).get();
  const [marker] = events.docs;
  return {
    record: await size(`customers/${uid}`),
    facts: await size(`billing_facts/${uid}`),
    marker: marker === undefined ? 0 : bytesOfDocument(marker.ref.path, marker.data()),
    answer: await bytesOfAnswer(),
  };
}

/** The head and the body of a consume's answer. */
async function bytesOfAnswer(): Promise<number> {
  const buyer = await aBuyer();
  await buyer.buy(sold.smallPack.lookupKey);
  await simulator.delivered();
  const answer = await fetch(`${servers['direct server']}/credits/consume`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${buyer.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': `count-${Date.now()}`,
    },
    body: JSON.stringify({ feature: sold.feature }),
  });
  const head = [...answer.headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 19);
  return head + (await answer.arrayBuffer()).byteLength;
}

async function main(): Promise<void> {
  const counting = new Counting(await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? ''));
  const nobody = await counting.closing(-40);
  const { jobs, payers } = await countComparison(counting);
  const [payer] = payers;
  if (payer === undefined) throw new Error('nobody bought');
  const summaries = await countSummaries(counting, nobody, payers);
  const { jobs: rolling, compaction } = await countCompaction(counting);
  const bytes = await bytesOf(payer);
  const at = new Date().toISOString();
  const operated: Operated = {
    at,
    jobs: [...jobs, ...summaries, ...rolling].map(shortened),
    bytes,
    compaction,
  };
  const file = fileURLToPath(new URL('../../docs/operations.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(operated, null, 2)}\n`);
  console.log(JSON.stringify(operated, null, 2));
  writeCostPage();
}

/** What an average of few has behind its third digit says nothing. */
function shortened({ job, of, each }: CountedJob): CountedJob {
  const short = (value: number): number => Number(value.toFixed(3));
  const { calls, reads, writes, deletes, providerCalls } = each;
  return {
    ...{ job, of },
    each: {
      ...{ calls: short(calls), reads: short(reads), writes: short(writes) },
      ...{ deletes: short(deletes), providerCalls: short(providerCalls) },
    },
  };
}

await main();
process.exit();
