// node tools/suite.ts node tools/bench/profile.ts consume|webhook|balance: what the function's processor time goes into.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { firestore } from '../../functions/test/app/emulated-user.ts';
import { formatTable } from '../../packages/cli/src/support/describe.ts';
import { type CpuProfile, sharesOf } from './cpu-shares.ts';
import { deliver, planBegins, planRenews } from './events.ts';
import { buildBundle, type Instance, startFunction } from './instances.ts';
import { measure } from './measure.ts';
import { send } from './send.ts';
import { signUpUsers } from './users.ts';
import { consume, pick } from './world.ts';

const LOAD = { connections: 32, operations: 1_500 } as const;
const USERS = 64;
const LINES = 20;
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** What each kind of request does with the n-th of them. */
async function requestsOf(kind: string, { url }: Instance): Promise<(n: number) => Promise<void>> {
  const users = await signUpUsers(firestore, USERS);
  if (kind === 'consume') return (n) => consume(url, pick(users, n));
  if (kind === 'balance') {
    return async (n) => {
      const { idToken } = pick(users, n);
      await send(`${url}/credits/balance`, { headers: { authorization: `Bearer ${idToken}` } });
    };
  }
  if (kind !== 'webhook') throw new Error(`There is no profile of "${kind}": consume, webhook or balance.`);
  const uids = users.map(({ uid }) => `profile-${uid}`);
  for (const uid of uids) await deliver(url, planBegins(uid));
  return (n) => deliver(url, planRenews(pick(uids, n), 1 + Math.floor(n / USERS)));
}

const folder = mkdtempSync(join(tmpdir(), 'billing-profile-'));
try {
  await buildBundle();
  const instance = await startFunction({}, [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    `--import=${here('./servers/end-on-signal.mjs')}`,
  ]);
  await instance.listens;
  const request = await requestsOf(process.argv[2] ?? 'consume', instance);
  const { failures, perSecond } = await measure(LOAD, request);
  process.kill(instance.pid ?? 0, 'SIGUSR2');
  await instance.ended;
  const [file] = readdirSync(folder);
  const profile: CpuProfile = JSON.parse(readFileSync(join(folder, file ?? ''), 'utf8'));
  const maps = new Map<string, SourceMap>();
  const mapOf = (name: string): SourceMap => {
    const map = maps.get(name) ?? new SourceMap(JSON.parse(readFileSync(here(`./dist/${name}.map`), 'utf8')));
    maps.set(name, map);
    return map;
  };
  const find = (bundled: string, line: number, column: number): string | undefined => {
    const entry = mapOf(basename(bundled)).findEntry(line, column);
    return 'originalSource' in entry ? entry.originalSource : undefined;
  };
  const lines = sharesOf(profile, find).slice(0, LINES);
  console.log(
    formatTable(
      ['share', 'of'],
      lines.map(({ of, share }) => [`${(share * 100).toFixed(1)} %`, of]),
    ),
  );
  console.error(`profile: ${LOAD.operations} requests, ${failures} failed, ${perSecond.toFixed(0)}/s`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
