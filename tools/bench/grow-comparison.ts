import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Auth } from 'firebase-admin/auth';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { checkDaily } from '../../functions/src/reconcile/daily.ts';
import type { CheckDeps } from '../../functions/src/reconcile/user.ts';
import { aConfig } from '../../functions/test/app/config.ts';
import { firestore } from '../../functions/test/app/emulated-user.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { parseArgs } from '../args.ts';
import { DAILY_COMPARISON, FIRST_COMPARISON, keepGrowth, type Taken } from '../scale/growth.ts';
import { writeScalePage } from '../scale/scale-page.ts';
import { costOf } from './row-cost.ts';
import { makeTemplate, seed, seededProvider, type Template } from './seed.ts';

const USAGE = `usage: npm run suite -- node tools/bench/grow-comparison.ts [--customers 1000,10000] [--record]

How the comparison with the provider grows with the customers, who are seeded into the suite's database, one size after the
other. Calls and reads are exact; times are this machine's. --record keeps them in docs/growth.json and writes docs/scale.md.`;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DAY = 24 * 60 * 60 * 1000;
/** Above it nobody counts: each call would be kept and looked into. */
const COUNTED_UP_TO = 10_000;
const quiet: CheckDeps['log'] = { info() {}, warn() {}, error: console.error, of: () => quiet };

/** No seeded account has a sign-in. */
const auth = {
  getUsers: async () => ({ users: [], notFound: [] }),
  getUser: async () => {
    throw Object.assign(new Error('no such user'), { code: 'auth/user-not-found' });
  },
  setCustomUserClaims: async () => {},
} as unknown as Auth;

/** The whole comparison, once, `days` from now. */
async function compare(store: Firestore, template: Template, accounts: number, days: number) {
  const { stripe, calls } = seededProvider(template, accounts);
  const now = () => Date.now() + days * DAY;
  const deps: CheckDeps = {
    ...{ firestore: store, auth, stripe: async () => stripe, now, log: quiet },
    ...{ config: aConfig({ project: process.env.GCLOUD_PROJECT ?? null }), catalog: () => catalog },
  };
  const begun = performance.now();
  const summary = await checkDaily(deps);
  if (summary === null || !summary.finished) throw new Error(`not finished: ${JSON.stringify(summary)}`);
  const { users, differing, failed, seen } = summary;
  return {
    seconds: (performance.now() - begun) / 1000,
    providerCalls: calls(),
    ...{ users, differing, failed, seen },
  };
}

/** Runs a program and answers how long it took, and the most memory that it held. Status and output are not judged. */
function runMeasured(args: readonly string[]): Promise<{ seconds: number; mebibytes: number; out: string }> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let [out, mebibytes] = ['', 0];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    const watch = setInterval(() => {
      try {
        const [, kilobytes = '0'] =
          /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        mebibytes = Math.max(mebibytes, Math.round(Number(kilobytes) / 1024));
      } catch {
        // It has ended.
      }
    }, 50);
    child.on('error', reject);
    child.on('close', () => {
      clearInterval(watch);
      resolve({ seconds: (performance.now() - begun) / 1000, mebibytes, out });
    });
  });
}

async function measure(
  template: Template,
  folder: string,
  accounts: number,
): Promise<Readonly<Record<string, Taken>>> {
  const self = fileURLToPath(import.meta.url);
  await firestore.doc('billing_jobs/reconcile').delete();
  const args = ['--customers', String(accounts), '--child', join(folder, 'template.json')];
  const alone = await runMeasured([self, ...args]);
  const { seconds, ...compared } = JSON.parse(alone.out.trim().split('\n').at(-1) ?? '');
  console.log(`${accounts} customers: ${JSON.stringify(compared)}`);
  const { providerCalls } = compared;
  const { mebibytes } = alone;
  const { first = {}, daily = null } = accounts <= COUNTED_UP_TO ? await countReads(template, accounts) : {};
  return {
    [FIRST_COMPARISON]: { seconds: Number(seconds.toFixed(1)), mebibytes, ...first, providerCalls },
    ...(daily !== null && { [DAILY_COMPARISON]: daily }),
  };
}

/** Documents that Firestore bills: of a first comparison of everybody, and of one a day later. */
async function countReads(template: Template, accounts: number) {
  await firestore.doc('billing_jobs/reconcile').delete();
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const through = clientThrough(proxy);
  const { reads } = await costOf(proxy, () => compare(through, template, accounts, 0));
  const daily = await costOf(proxy, () => compare(through, template, accounts, 1));
  await through.terminate();
  return { first: { reads }, daily: { reads: daily.reads, writes: daily.writes } };
}

/** JSON keeps no Timestamps, and the records have some. */
const revive = (_: string, value: unknown): unknown => {
  const { _seconds: seconds, _nanoseconds: nanos } = (value ?? {}) as Record<string, unknown>;
  return typeof seconds === 'number' && typeof nanos === 'number' ? new Timestamp(seconds, nanos) : value;
};

async function measureAll(sizes: readonly number[], isRecorded: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'growth-'));
  try {
    const template = await makeTemplate(firestore);
    writeFileSync(join(folder, 'template.json'), JSON.stringify(template));
    // Whom the copies were made of is not at the seeded provider.
    await firestore.recursiveDelete(firestore.doc(`customers/${template.uid}`));
    await firestore.doc(`billing_facts/${template.uid}`).delete();
    await firestore.doc(`provider_customers/${template.customer}`).delete();
    let seeded = 0;
    for (const accounts of sizes) {
      const begun = performance.now();
      await seed(firestore, template, seeded, accounts);
      seeded = accounts;
      console.error(
        `${accounts} accounts are there after ${Math.round((performance.now() - begun) / 1000)} s`,
      );
      const measured = await measure(template, folder, accounts);
      console.log(JSON.stringify(measured));
      if (isRecorded) keepGrowth(accounts, measured);
    }
    if (isRecorded) writeScalePage();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { values } = parseArgs(process.argv.slice(2), USAGE, {
  options: {
    customers: { type: 'string', default: '1000,10000' },
    record: { type: 'boolean', default: false },
    // Of its own: compares once, in a process whose memory is measured.
    child: { type: 'string' },
  },
});
const sizes = values.customers.split(',').map(Number);

if (values.child !== undefined) {
  const template: Template = JSON.parse(readFileSync(values.child, 'utf8'), revive);
  console.log(JSON.stringify(await compare(firestore, template, Math.max(...sizes), 0)));
} else await measureAll(sizes, values.record);
process.exit();
