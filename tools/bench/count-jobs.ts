// npm run suite -- node tools/bench/count-jobs.ts: counts what the scheduled jobs ask of Firestore and of the provider for
// each account, and the bytes that are stored and answered; writes docs/operations.json and the pages made of it. What is
// counted does not depend on how busy the machine is.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Firestore } from 'firebase-admin/firestore';
import embedded from '../../billing.config.ts';
import { checkDaily } from '../../functions/src/reconcile/all.ts';
import type { CheckDeps } from '../../functions/src/reconcile/user.ts';
import { bytesOfDocument } from '../../functions/src/store/documents.ts';
import { aConfig } from '../../functions/test/app/config.ts';
import { auth, firestore } from '../../functions/test/app/emulated-user.ts';
import { provider, servers } from '../../functions/test/app/suite.ts';
import { aBuyer } from '../../functions/test/fixtures/buyer.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import * as simulator from '../../functions/test/fixtures/simulator.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { writeCostPage } from '../cost/cost-page.ts';
import type { CountedJob, Operated } from '../cost/counted.ts';
import { costOf } from './row-cost.ts';
import { signUpUsers } from './world.ts';

/** Accounts of each kind: enough that what a job reads once does not pass for what it reads of each. */
const ACCOUNTS = 10;
/** Spends of each account. */
const SPENDS = 5;

type Cost = CountedJob['each'];

interface Counting {
  readonly proxy: FirestoreProxy;
  readonly deps: CheckDeps;
  /** Calls to the provider so far. */
  readonly asked: () => number;
}

async function openCounting(): Promise<Counting> {
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const stripe = provider();
  let asked = 0;
  stripe.on('request', () => {
    asked += 1;
  });
  const deps: CheckDeps = {
    ...{ firestore: clientThrough(proxy), auth, stripe: async () => stripe, now: () => Date.now() },
    ...{ log: quiet, config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }) },
    catalog: () => embedded,
  };
  return { proxy, deps, asked: () => asked };
}

const quiet: CheckDeps['log'] = { info() {}, warn() {}, error() {}, of: () => quiet };

async function count({ proxy, asked }: Counting, work: () => Promise<unknown>): Promise<Cost> {
  const before = asked();
  const { reads, writes, deletes, calls } = await costOf(proxy, work);
  return { calls: calls.length, reads, writes, deletes, providerCalls: asked() - before };
}

const JOBS: readonly { readonly job: string; readonly run: (deps: CheckDeps) => Promise<unknown> }[] = [
  { job: 'comparison', run: checkDaily },
];

/** Accounts that have only free credits or none: nothing of them is at the provider. */
async function addFree(store: Firestore): Promise<void> {
  await signUpUsers(store, ACCOUNTS);
}

/** Accounts with a subscription, which have spent of it. */
async function addPayers(): Promise<readonly string[]> {
  const uids: string[] = [];
  for (let n = 0; n < ACCOUNTS; n += 1) {
    const buyer = await aBuyer();
    await buyer.buy(sold.metered.lookupKey);
    await simulator.delivered();
    for (let spend = 0; spend < SPENDS; spend += 1) await buyer.consume(sold.feature);
    uids.push(buyer.uid);
  }
  return uids;
}

const less = (after: Cost, before: Cost, accounts: number): Cost => ({
  calls: (after.calls - before.calls) / accounts,
  reads: (after.reads - before.reads) / accounts,
  writes: (after.writes - before.writes) / accounts,
  deletes: (after.deletes - before.deletes) / accounts,
  providerCalls: (after.providerCalls - before.providerCalls) / accounts,
});

async function countJobs(counting: Counting, jobs: typeof JOBS): Promise<Map<string, Cost>> {
  const counted = new Map<string, Cost>();
  for (const { job, run } of jobs) {
    // The first run may have something to put right, or to note; the second is what every day costs.
    await run(counting.deps);
    counted.set(job, await count(counting, () => run(counting.deps)));
  }
  return counted;
}

/** What stands in the store for a payer, by Firestore's own reckoning of its size. */
async function bytesOf(uid: string): Promise<Operated['bytes']> {
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
  const counting = await openCounting();
  const none = await countJobs(counting, JOBS);
  await addFree(firestore);
  const free = await countJobs(counting, JOBS);
  const [payer = ''] = await addPayers();
  const all = await countJobs(counting, JOBS);
  const zero: Cost = { calls: 0, reads: 0, writes: 0, deletes: 0, providerCalls: 0 };
  const of = (counted: ReadonlyMap<string, Cost>, job: string): Cost => counted.get(job) ?? zero;
  const jobs = JOBS.flatMap(({ job }): readonly CountedJob[] => [
    { job, of: 'run', each: of(none, job) },
    { job, of: 'free', each: less(of(free, job), of(none, job), ACCOUNTS) },
    { job, of: 'payer', each: less(of(all, job), of(free, job), ACCOUNTS) },
  ]);
  const operated: Operated = { at: new Date().toISOString(), jobs, bytes: await bytesOf(payer) };
  const file = fileURLToPath(new URL('../../docs/operations.json', import.meta.url));
  writeFileSync(file, `${JSON.stringify(operated, null, 2)}\n`);
  console.log(JSON.stringify(operated, null, 2));
  writeCostPage();
}

await main();
process.exit();
