import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { signUp } from '../../packages/cli/src/local/account.ts';
import { HOST } from '../../packages/cli/src/local/ports.ts';
import { PROJECT_ID, ROOT } from '../../packages/cli/src/local/suite.ts';
import { findFirestore } from '../set-up/find-firestore.mjs';
import { temporaryFolder } from '../test/temporary-folder.ts';
import { buildFunction } from './builds.ts';

/** Far from the usual ports, and from those of the other tests. */
const OFFSET = 22_000;

interface FirebaseConfig {
  readonly emulators: Readonly<Record<string, { readonly port?: number } | boolean>>;
}
const { emulators }: FirebaseConfig = JSON.parse(readFileSync(join(ROOT, 'firebase.json'), 'utf8'));
const portOf = (name: string): number => {
  const emulator = emulators[name];
  if (typeof emulator !== 'object' || emulator.port === undefined) throw new Error(`no port of ${name}`);
  return emulator.port + OFFSET;
};

/** The checkout as firebase-tools sees it, on other ports; nobody built an `.env.local` for it. */
function checkoutOnOtherPorts(): string {
  const folder = temporaryFolder(join(ROOT, '.suite'));
  const text = readFileSync(join(ROOT, 'firebase.json'), 'utf8');
  const moved = text.replaceAll(/"port": (\d+)/g, (_, port) => `"port": ${Number(port) + OFFSET}`);
  writeFileSync(join(folder, 'firebase.json'), moved);
  for (const file of ['.firebaserc', 'firestore.rules', 'firestore.indexes.json'])
    cpSync(join(ROOT, file), join(folder, file));
  symlinkSync(join(ROOT, 'public'), join(folder, 'public'), 'dir');
  const functions = join(folder, 'functions');
  mkdirSync(functions);
  symlinkSync(join(ROOT, 'functions', 'dist'), join(functions, 'dist'), 'dir');
  const parameters = readFileSync(join(ROOT, 'functions', `.env.${PROJECT_ID}`), 'utf8');
  const firestore = `${HOST}:${portOf('firestore')}`;
  writeFileSync(
    join(functions, `.env.${PROJECT_ID}`),
    parameters.replace(/(?<=FIRESTORE_EMULATOR_HOST=).*/, firestore),
  );
  return folder;
}

function start(command: string, args: readonly string[], cwd: string): ChildProcess {
  const { FIRESTORE_EMULATOR_HOST: _, ...env } = process.env;
  // Nobody is there to answer a question.
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

test('a plain firebase emulators:start serves the function and the return pages, and asks nothing', {
  timeout: 240_000,
}, async () => {
  await buildFunction(ROOT);
  const folder = checkoutOnOtherPorts();
  const firestore = findFirestore(process.env);
  if (firestore.kind === 'hidane') {
    const at = ['--host', HOST, '--port', String(portOf('firestore')), '--project_id', PROJECT_ID];
    start(firestore.program, [...at, '--rules', 'firestore.rules'], folder);
  }
  const only = firestore.kind === 'hidane' ? ['--only', 'auth,functions,hosting'] : [];
  const firebase = join(ROOT, 'node_modules', 'firebase-tools', 'lib', 'bin', 'firebase.js');
  const args = [firebase, 'emulators:start', '--project', PROJECT_ID, ...only];
  const emulators = start(process.execPath, args, folder);

  const balance = `http://${HOST}:${portOf('functions')}/${PROJECT_ID}/us-central1/api/credits/balance`;
  await vi.waitFor(
    async () => {
      if (emulators.exitCode !== null) throw new Error(`firebase ended with ${emulators.exitCode}`);
      expect((await fetch(balance)).status).toBe(401);
    },
    { timeout: 200_000, interval: 250 },
  );
  const { idToken } = await signUp({ authEmulator: `${HOST}:${portOf('auth')}`, project: PROJECT_ID });
  const answer = await fetch(balance, { headers: { authorization: `Bearer ${idToken}` } });
  expect(await answer.json()).toEqual({ balance: 0, allowance: 0 });
  expect((await fetch(`http://${HOST}:${portOf('hosting')}/billing/success.html`)).status).toBe(200);
});
