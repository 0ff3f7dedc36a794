// npm test -- contract: sends the running service thousands of requests made from docs/openapi.json, good and bad ones,
// and holds every answer to it; where the service sells another catalogue, from the document with that one's names. Say
// -n 500 --seed 7 for more and for others.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDocument } from '../functions/openapi/document.ts';
import { EVENT_TYPES } from '../functions/src/stripe/translate.ts';
import { type Account, consume, signUp } from '../packages/cli/src/local/account.ts';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { sold } from '../packages/cli/src/local/sold.ts';
import { readAddresses, SIMULATOR_SECRETS, type SuiteAddresses } from '../packages/cli/src/local/suite.ts';
import { connect } from '../packages/cli/src/stripe/connect.ts';
import { answerHelp } from './args.ts';
import { forUsers } from './contract/for-users.ts';
import { simulatorDriver } from './scenario/simulator-driver.ts';
import { findEnvironment } from './set-up/find-python.mjs';
import { thisMachine } from './set-up/machine.mjs';
import { SCHEMATHESIS } from './set-up/schemathesis.mjs';
import { endAfterWords } from './suite/run-command.ts';

/** Says to `npm test` that it cannot be run on this machine. */
const SKIPPED = 77;

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** What the cache's own `schemathesis` does, without the folder that its first line names. */
const RUN =
  'import sys; from schemathesis.cli import schemathesis; sys.argv[0] = "st"; sys.exit(schemathesis())';

/** @returns schemathesis's exit status: 0 where every answer was as the document says. */
function runSchemathesis(
  python: string,
  base: string,
  callers: Callers,
  words: readonly string[],
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'billing-contract-'));
  const file = join(folder, 'callers.json');
  writeFileSync(file, JSON.stringify(callers));
  // docs/openapi.json with the names that are sold: made-up ones would reach nothing but a 400.
  const document = join(folder, 'openapi.json');
  writeFileSync(document, JSON.stringify(forUsers(makeDocument(catalog))));
  const config = ['--config-file', at('./contract/schemathesis.toml')];
  const child = spawn(python, ['-c', RUN, ...config, 'run', document, '--url', base, ...words], {
    stdio: 'inherit',
    // It keeps what it finds beside it.
    cwd: folder,
    env: {
      ...process.env,
      CONTRACT_CALLERS: file,
      SCHEMATHESIS_HOOKS: at('./contract/hooks.py'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  });
  return new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  }).finally(() => rmSync(folder, { recursive: true }));
}

const USAGE = `usage: npm run suite -- node tools/contract.ts [<args for schemathesis run…>]
  such as -n 500 --seed 7, for more requests and for others`;

async function main(words: readonly string[]): Promise<number> {
  answerHelp(words, USAGE);
  endAfterWords(process.env);
  const python = findEnvironment(thisMachine(process.env), SCHEMATHESIS);
  if (python === undefined) {
    console.log(`NOT RUN: schemathesis is not here.\n${SCHEMATHESIS.ways}`);
    return SKIPPED;
  }
  const suite = readAddresses(process.env);
  const callers = await makeCallers(suite, process.env.PAYMENT_WEBHOOK_SECRET ?? '');
  return runSchemathesis(python, suite.billing, callers, words);
}

/** Who asks, for hooks.py. */
interface Callers {
  /** ID tokens of users in every state that makes an answer differ. */
  readonly users: readonly string[];
  /** ID tokens of users whom nobody misses. */
  readonly deleted: readonly string[];
  readonly webhookSecret: string;
  readonly eventTypes: readonly string[];
}

/** Signs users up and lets them buy: many credits, none left, a plan, the lifetime plan, nothing. */
async function makeCallers(suite: SuiteAddresses, webhookSecret: string): Promise<Callers> {
  const stripe = await connect({ key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: suite.provider });
  const driver = simulatorDriver(suite, stripe);
  const withPlan = await signUp(suite);
  const withLifetime = await signUp(suite);
  const withPack = await signUp(suite);
  const withNothing = await signUp(suite);
  await (await driver.begin(withPlan)).buy(sold.metered.lookupKey);
  await (await driver.begin(withLifetime)).buy(sold.lifetime.lookupKey);
  const pack = await driver.begin(withPack);
  await pack.buy(sold.smallPack.lookupKey);
  await pack.deliverUntil(async () => (await consume(suite, withPack, sold.feature)) === 200);
  await spendAll(suite, withPack);
  const toDelete = await Promise.all(Array.from({ length: 5 }, () => signUp(suite)));
  return {
    // Most requests come from the one who has credits to spend.
    users: [withPlan, withPlan, withPlan, withLifetime, withPack, withNothing].map(({ idToken }) => idToken),
    deleted: toDelete.map(({ idToken }) => idToken),
    webhookSecret,
    eventTypes: EVENT_TYPES,
  };
}

async function spendAll(suite: SuiteAddresses, account: Account): Promise<void> {
  let status = 200;
  while (status === 200) status = await consume(suite, account, sold.dearFeature);
  if (status !== 402) throw new Error(`A consume that empties the balance was answered ${status}.`);
}

process.exitCode = await main(process.argv.slice(2));
