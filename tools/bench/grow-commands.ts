import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { encodeRecord } from '@extension-billing/contract/record';
import catalog, { PLAN } from '@extension-billing/contract/test/catalog';
import { initializeApp } from 'firebase-admin/app';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { NO_FACTS } from '../../functions/src/events/facts.ts';
import { log } from '../../functions/src/log.ts';
import { type ReportSource, reportSource } from '../../functions/src/report/accounts.ts';
import { DAY, dayOf, startOf } from '../../functions/src/report/figures.ts';
import { SUMMARIES, summarizeDays } from '../../functions/src/report/summarize.ts';
import { paths, toEntryDocument, toTimestamp, type Uid } from '../../functions/src/store/documents.ts';
import { parseArgs } from '../args.ts';
import { keepGrowth, REPORT_OF_DAYS, type Taken } from '../scale/growth.ts';
import { writeScalePage } from '../scale/scale-page.ts';

const USAGE = `usage: npm run suite -- node tools/bench/grow-commands.ts [--customers 1000,10000] [--record]

How what the owner runs grows with the customers: the job that adds days up, report, backup, restore, and the export of
one user. It empties the suite's database. 100000 customers take about a quarter of an hour. --record keeps the figures
in docs/growth.json and writes docs/scale.md.`;

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Entries of each customer over the month; a tenth of them have two more on the last day. */
const ENTRIES = 5;
const SHARE_ACTIVE = 10;
/** One in so many has bought something. */
const SHARE_PAYING = 33;
const WRITES_AT_ONCE = 500;

const TODAY = startOf(dayOf(Date.now()));

async function measureAll(sizes: readonly number[], isRecorded: boolean): Promise<void> {
  const firestore = connect();
  for (const customers of sizes) {
    await empty();
    await seed(firestore, customers);
    const folder = mkdtempSync(join(tmpdir(), 'grow-'));
    const billing = (...args: readonly string[]) => child(['packages/cli/src/billing.ts', ...args]);
    const rows: Record<string, Taken> = {};
    const add = async (name: string, run: () => Promise<Taken>): Promise<void> => {
      const row = await run();
      rows[name] = row;
      console.log(`${customers} customers, ${name}: ${JSON.stringify(row)}`);
    };
    try {
      await add('report, from the ledgers', () => billing('report', '--json'));
      await add('job `summarizeDays`, its first 31 days', () =>
        child([import.meta.filename, '--child', String(TODAY + DAY / 24)]),
      );
      await add('job `summarizeDays`, a day', () =>
        child([import.meta.filename, '--child', String(TODAY + DAY + DAY / 24)]),
      );
      await add(REPORT_OF_DAYS, () => billing('report', '--json', '--to', dayOf(TODAY - DAY)));
      await add('backup', () => billing('backup', join(folder, 'backup')));
      await add('restore', () => billing('restore', join(folder, 'backup')));
      await add('export of a user with as many entries', async () => {
        await seedLedger(firestore, customers);
        return billing('customer', 'export', LONG, '--file', join(folder, 'user.json'));
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
    if (isRecorded) keepGrowth(customers, rows);
  }
  if (isRecorded) writeScalePage();
}

function connect(): Firestore {
  return getFirestore(initializeApp({ projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing' }));
}

async function empty(): Promise<void> {
  const host = process.env.FIRESTORE_EMULATOR_HOST;
  if (host === undefined) throw new Error(USAGE);
  const project = process.env.GCLOUD_PROJECT;
  const url = `http://${host}/emulator/v1/projects/${project}/databases/(default)/documents`;
  await fetch(url, { method: 'DELETE' });
}

/** Says at its end what it took. */
const TELL = `data:text/javascript,process.on('exit',()=>console.error('took',process.resourceUsage().maxRSS))`;

async function child(args: readonly string[]): Promise<Taken> {
  const begun = performance.now();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', TELL, ...args], {
    cwd: root,
    maxBuffer: 1e9,
  });
  const seconds = Math.round((performance.now() - begun) / 100) / 10;
  const [, kibibytes = '0'] = /^took (\d+)$/m.exec(stderr) ?? [];
  const [, reads] = /^reads (\d+)$/m.exec(stdout) ?? [];
  return {
    seconds,
    mebibytes: Math.round(Number(kibibytes) / 1024),
    ...(reads !== undefined && { reads: Number(reads) }),
  };
}

async function summarizeAsChild(now: number): Promise<void> {
  const firestore = connect();
  let reads = 0;
  const source = counted(reportSource(firestore), (documents) => {
    reads += Math.max(1, documents);
  });
  const begun = Date.now();
  const deps = { firestore, now: () => now + Date.now() - begun, catalog: () => catalog, log };
  const done = await summarizeDays(deps, { source, within: 4 * 60 * 60 * 1000 });
  if (done.kind !== 'summarized' || !done.finished)
    throw new Error(`${SUMMARIES.name}: ${JSON.stringify(done)}`);
  console.log(`reads ${reads}`);
}

/** As Firestore bills it: each document, and one for a query that finds none. */
function counted(source: ReportSource, count: (documents: number) => void): ReportSource {
  const page = async <Item>(found: Promise<readonly Item[]>): Promise<readonly Item[]> => {
    const items = await found;
    count(items.length);
    return items;
  };
  return {
    accounts: (after) => page(source.accounts(after)),
    invoices: (after) => page(source.invoices(after)),
    sales: (uids) => page(source.sales(uids)),
    async *entries(uid, range) {
      let found = 0;
      for await (const entry of source.entries(uid, range)) {
        found += 1;
        yield entry;
      }
      count(found);
    },
  };
}

type Write = readonly [path: string, data: object];

/** Customers whose ledgers add up to their records, spread over the month as real ones are. */
async function seed(firestore: Firestore, customers: number): Promise<void> {
  await write(firestore, documentsOf(firestore, customers));
  console.log(`${customers} customers are there`);
}

function* documentsOf(firestore: Firestore, customers: number): Generator<Write> {
  for (let index = 0; index < customers; index += 1) {
    const uid = uidOf(index);
    const isPaying = index % SHARE_PAYING === 0;
    const isActive = index % SHARE_ACTIVE === 0;
    const times = Array.from(
      { length: ENTRIES },
      (_, at) => TODAY - DAY * (3 + ((index + at * 6) % 27)) + index,
    );
    if (isActive) times.push(TODAY + 1_000, TODAY + 2_000);
    times.sort((a, b) => a - b);
    const left = 1_000 - times.length;
    const updatedAt = times.at(-1) ?? 0;
    const record = {
      ...{ paid: isPaying, plan: isPaying ? PLAN.monthly : null, status: isPaying ? 'active' : null },
      ...{ cancelAtPeriodEnd: false, currentPeriodEnd: null, trialUsed: isPaying, updatedAt },
      customerId: isPaying ? `cus_${uid}` : null,
      ...{ creditsRemaining: left, creditsAllowance: 0, packCreditsRemaining: left },
    };
    yield [paths.customer(firestore, uid).path, { ...encodeRecord(record, toTimestamp), schemaVersion: 1 }];
    for (const [at, createdAt] of times.entries()) yield spendOf(firestore, uid, at, createdAt);
    if (!isPaying) continue;
    yield [paths.facts(firestore, uid).path, { facts: NO_FACTS, books: {}, schemaVersion: 1 }];
    const marker = {
      type: 'invoice.paid',
      uids: [uid],
      outcome: 'applied',
      createdAt: toTimestamp(updatedAt),
    };
    const expireAt = toTimestamp(updatedAt + 45 * DAY);
    yield [paths.marker(firestore, `evt_${uid}`).path, { ...marker, expireAt }];
  }
}

const LONG = uidOf(1);

function uidOf(index: number): Uid {
  return `user-${String(index * 7_919).padStart(12, '0')}` as Uid;
}

function spendOf(firestore: Firestore, uid: Uid, at: number, createdAt: number): Write {
  const entry = {
    ...({
      id: `consume_${uid}_${at}`,
      kind: 'consume',
      feature: 'demo',
      cost: 1,
      outcome: 'granted',
    } as const),
    ...{ deltaAllowance: 0, deltaPack: -1, allowance: 0, packCredits: 999 - at, createdAt },
  };
  return [paths.entry(firestore, uid, entry.id).path, toEntryDocument(entry)];
}

async function seedLedger(firestore: Firestore, entries: number): Promise<void> {
  const all = function* (): Generator<Write> {
    for (let at = 0; at < entries; at += 1) yield spendOf(firestore, LONG, at + 1_000, TODAY - at);
  };
  await write(firestore, all());
}

async function write(firestore: Firestore, writes: Iterable<Write>): Promise<void> {
  let batch = firestore.batch();
  let waiting = 0;
  for (const [path, data] of writes) {
    batch.set(firestore.doc(path), data);
    waiting += 1;
    if (waiting < WRITES_AT_ONCE) continue;
    await batch.commit();
    batch = firestore.batch();
    waiting = 0;
  }
  if (waiting > 0) await batch.commit();
}

const { values } = parseArgs(process.argv.slice(2), USAGE, {
  options: {
    customers: { type: 'string', default: '1000,10000' },
    record: { type: 'boolean', default: false },
    // Of its own: one run of the job, in a process whose memory is measured.
    child: { type: 'string' },
  },
});

if (values.child !== undefined) await summarizeAsChild(Number(values.child));
else await measureAll(values.customers.split(',').map(Number), values.record);
