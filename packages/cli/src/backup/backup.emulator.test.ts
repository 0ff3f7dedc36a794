import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it, onTestFinished } from 'vitest';
import { auth, firestore, signUp } from '../../../../functions/test/app/emulated-user.ts';
import { post, servers } from '../../../../functions/test/app/suite.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { backUp, findSuite, restore } from './backup.ts';
import { openBackup } from './folder.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function run(...args: string[]) {
  return promisify(execFile)(process.execPath, ['packages/cli/src/billing.ts', ...args], {
    cwd: root,
  }).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stderr }) => ({ status: Number(code), out: String(stderr) }),
  );
}

async function signIn(email: string): Promise<string> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const url = `http://${host}/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=emulated`;
  const { body } = await post(
    url,
    JSON.stringify({ email, password: 'correct horse', returnSecureToken: true }),
  );
  return String(body.idToken);
}

it('a user whose suite was restored signs in, sees the balance, and is renewed', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = join(folder, 'backup');

  const buyer = await aBuyer();
  const { email = '' } = await auth.getUser(buyer.uid);
  await buyer.buy(PLAN.metered);
  await simulator.delivered();
  await buyer.consume('demo_deep', 'spent-before');
  let record: unknown;
  let ledger: unknown;
  await simulator.whileEventsAreHeld(async () => {
    await buyer.buy(PACK.small);
    // The pack is paid for, and its event has not gone out.
    expect(await run('backup', at)).toMatchObject({
      status: 0,
      out: expect.stringContaining('simulator’s state'),
    });
    record = await buyer.record();
    ledger = await buyer.ledger();
  });

  await simulator.delivered();
  await buyer.consume('demo', 'spent-after');
  const newcomer = await signUp();
  await firestore.doc(`customers/${newcomer.uid}`).set({ creditsRemaining: 1 });
  await auth.deleteUser(buyer.uid);

  await restore(await findSuite(process.env), at);
  expect((await firestore.doc(`customers/${newcomer.uid}`).get()).exists).toBe(false);
  await expect(auth.getUser(newcomer.uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  expect(await buyer.record()).toEqual(record);
  expect(await buyer.ledger()).toEqual(ledger);
  expect(await buyer.paidClaim()).toBe(true);

  // Events were held when the backup was made, so they are held again, until they are let go.
  await simulator.whileEventsAreHeld(async () => {});
  await simulator.delivered();
  const authorization = `Bearer ${await signIn(email)}`;
  const consume = (key: string) =>
    post(`${servers['direct server']}/credits/consume`, '{"feature":"demo"}', {
      authorization,
      'idempotency-key': key,
    });
  expect(await consume('spent-after')).toMatchObject({
    status: 200,
    body: { balance: 1_094, replayed: false },
  });
  expect(await consume('spent-before')).toMatchObject({ status: 422 });

  await simulator.advance(8 * 24 * 60 * 60);
  await simulator.delivered();
  expect(await buyer.record()).toMatchObject({ status: 'active', paid: true });
  expect(await buyer.credits()).toEqual({ allowance: 1_000, packs: 100 });
});

it('a backup has every document once, also a ledger without its record', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const at = join(folder, 'backup');
  const { uid } = await signUp();
  await firestore.doc(`customers/${uid}/credit_ledger/consume_early`).set({ kind: 'consume' });
  const manifest = await backUp(await findSuite(process.env), at);
  const names: string[] = [];
  for await (const { name } of (await openBackup(at, () => (text) => text)).documents()) names.push(name);
  expect(names.length).toBe(manifest.documents);
  expect(new Set(names).size).toBe(names.length);
  expect(names.some((name) => name.endsWith(`/customers/${uid}/credit_ledger/consume_early`))).toBe(true);
});

it('nothing is touched where there is no backup', async () => {
  const user = await signUp();
  const nowhere = join(tmpdir(), 'no-such-backup');
  await expect(restore(await findSuite(process.env), nowhere)).rejects.toThrow('holds no backup');
  expect((await auth.getUser(user.uid)).uid).toBe(user.uid);
});
