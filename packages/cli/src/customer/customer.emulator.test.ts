import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type ConsumeEntry, sumOf } from '@extension-billing/contract/ledger';
import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it, onTestFinished } from 'vitest';
import { paths, toEntryDocument, type Uid } from '../../../../functions/src/store/documents.ts';
import { auth } from '../../../../functions/test/app/emulated-user.ts';
import { provider } from '../../../../functions/test/app/suite.ts';
import { aBuyer } from '../../../../functions/test/fixtures/buyer.ts';
import * as simulator from '../../../../functions/test/fixtures/simulator.ts';
import { connect } from '../support/connect.ts';
import { exportUser } from './export.ts';
import { eraseUser } from './user.ts';

const connection = connect(undefined, process.env);
const root = fileURLToPath(new URL('../../../../', import.meta.url));

async function customer(...args: string[]) {
  return promisify(execFile)(process.execPath, ['packages/cli/src/billing.ts', 'customer', ...args], {
    cwd: root,
  }).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), out: `${stdout}${stderr}` }),
  );
}

const AN_ENTRY: Omit<ConsumeEntry, 'id' | 'createdAt'> = {
  ...{ kind: 'consume', feature: 'demo', cost: 1, outcome: 'granted', deltaAllowance: -1, deltaPack: 0 },
  ...{ allowance: 9, packCredits: 0 },
};

/** What an export of a user holds. */
async function exported(uid: Uid) {
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'user.json');
  expect(await exportUser((await connection).deps, uid, file)).toBe(true);
  expect(readdirSync(folder)).toEqual(['user.json']);
  return JSON.parse(readFileSync(file, 'utf8'));
}

async function aSubscriber() {
  const buyer = await aBuyer();
  await buyer.buy(PLAN.metered);
  await buyer.buy(PACK.small);
  await simulator.delivered();
  await buyer.consume('demo_deep');
  return buyer;
}

it('exports all that is known of a user as one file, which nobody else on the machine may read', async () => {
  const buyer = await aSubscriber();
  // What is kept to go on with is of this suite, not of another on this machine.
  expect((await connection).store).toContain(process.env.FIRESTORE_EMULATOR_HOST);
  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'user.json');
  expect(await customer('export', buyer.uid, '--file', file)).toMatchObject({ status: 0 });
  expect(statSync(file).mode & 0o077).toBe(0);

  const text = readFileSync(file, 'utf8');
  const exported = JSON.parse(text);
  const { email } = await auth.getUser(buyer.uid);
  expect(exported).toMatchObject({
    uid: buyer.uid,
    auth: { email, customClaims: { paid: true } },
    record: { paid: true, creditsRemaining: 1_095, updatedAt: expect.stringMatching(/^\d{4}-.*Z$/) },
    facts: { facts: { customers: { [await buyer.customer()]: {} } } },
    provider: [{ customer: { id: await buyer.customer() }, subscriptions: [{ status: 'trialing' }] }],
  });
  expect(sumOf(exported.ledger)).toEqual({ allowance: 995, packs: 100 });
  expect(exported.ledger.map(({ id }: { id: string }) => id).sort()).toEqual(
    [...(await buyer.ledger()).keys()].sort(),
  );
  expect(exported.events.length).toBeGreaterThan(2);
  expect(exported.provider[0].charges).toHaveLength(1);
  expect(exported.provider[0].checkouts).toHaveLength(2);
  expect(text).not.toMatch(/passwordHash|passwordSalt|correct horse/);
});

it('exports a long ledger, and continues where it was stopped', async () => {
  const { deps } = await connection;
  const uid = (await aBuyer()).uid as Uid;
  const old = Date.parse('2025-06-01');
  const entries = Array.from({ length: 550 }, (_, at) => {
    // Several share a moment, and their ids part them.
    const createdAt = old + Math.floor(at / 3) * 60_000;
    return { ...AN_ENTRY, id: `consume_${String(at % 3)}_${at}`, createdAt };
  });
  const writer = deps.firestore.bulkWriter();
  for (const entry of entries)
    void writer.set(paths.entry(deps.firestore, uid, entry.id), toEntryDocument(entry));
  await writer.close();

  const folder = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'user.json');
  expect(await exportUser(deps, uid, file, { stop: AbortSignal.abort() })).toBe(false);
  expect(existsSync(file)).toBe(false);
  const another = (await aBuyer()).uid as Uid;
  await expect(exportUser(deps, another, file, { mayGoOn: true })).rejects.toThrow('leave --resume away');
  expect(await exportUser(deps, uid, file, { mayGoOn: true })).toBe(true);
  const { ledger } = JSON.parse(readFileSync(file, 'utf8'));
  expect(ledger.map(({ id }: { id: string }) => id)).toEqual(
    entries.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id),
  );
});

it('finds a user by mail, whom the provider knows by it too', async () => {
  const buyer = await aSubscriber();
  const { email = '' } = await auth.getUser(buyer.uid);
  const { status, out } = await customer(email);
  expect([status, out]).toEqual([0, expect.stringContaining(`${buyer.uid}, in the local suite`)]);
  expect(await provider().customers.retrieve(await buyer.customer())).toMatchObject({ email });
  await auth.deleteUser(buyer.uid);
  expect((await customer(email)).out).toContain(buyer.uid);
});

it.each(['nobody-at-all@example.test', 'no-such-uid'])(
  'says that it found nobody for %s, and agrees about nothing',
  async (who) => {
    for (const args of [
      [who],
      ['erase', who],
      ['export', who, '--file', join(tmpdir(), 'never-written.json')],
    ]) {
      const { status, out } = await customer(...args);
      expect(status).toBe(1);
      expect(out).toMatch(/^Nobody with the /);
      expect(out).not.toContain('Yes.');
    }
  },
);

it('erases a user who asks for it: first said, then done, and the books stay', async () => {
  const { deps } = await connection;
  const buyer = await aSubscriber();
  const subscription = await buyer.subscription();
  const lines = (await eraseUser(deps, buyer.uid, false)).join('\n');
  expect(lines).toContain(`would end: ${subscription} (trialing)`);
  expect(lines).toContain('given up: 1095 credits');
  expect((await provider().subscriptions.retrieve(subscription)).status).toBe('trialing');
  expect((await auth.getUser(buyer.uid)).uid).toBe(buyer.uid);

  const done = await eraseUser(deps, buyer.uid, true);
  expect(done).toContain('ended: 1 subscription, and every open checkout');
  await simulator.delivered();
  await expect(auth.getUser(buyer.uid)).rejects.toMatchObject({ code: 'auth/user-not-found' });
  expect((await provider().subscriptions.retrieve(subscription)).status).toBe('canceled');
  expect(await buyer.record()).toMatchObject({ paid: false, status: 'canceled' });
  expect(await buyer.credits()).toEqual({ allowance: 0, packs: 0 });
  expect(await eraseUser(deps, buyer.uid, true)).toContain('there was no auth user');
  expect(await exported(buyer.uid)).toMatchObject({
    auth: null,
    record: { packCreditsRemaining: 0 },
  });
});

it('erases every copy of the mail address in Firestore, and says what of it stays', async () => {
  const { deps } = await connection;
  const buyer = await aSubscriber();
  const { email = '' } = await auth.getUser(buyer.uid);
  const record = paths.customer(deps.firestore, buyer.uid);
  await record.set(
    { email, stripeId: 'cus_of_theirs', note: `wrote from ${email}`, nickname: 'Ada' },
    { merge: true },
  );
  await record.collection('payments').doc('pi_1').set({ receipt_email: email });
  await record.collection('notes').doc('one').set({ text: 'calls on Fridays' });
  const hash = '0'.repeat(40) + buyer.uid;
  await paths.freeIdentity(deps.firestore, hash).set({ uid: buyer.uid, anchor: 1 });
  expect(await exported(buyer.uid)).toMatchObject({
    freeIdentities: [{ id: hash, uid: buyer.uid, anchor: 1 }],
    beside: [{ text: 'calls on Fridays' }, { path: `${record.path}/payments/pi_1`, receipt_email: email }],
  });
  expect((await eraseUser(deps, buyer.uid, false)).join('\n')).toContain(
    'would delete: email, note in customers/{uid}',
  );

  const done = (await eraseUser(deps, buyer.uid, true)).join('\n');
  expect(done).toContain(`kept: free_identities/${hash}`);
  expect(done).toContain('left to you: nickname, notes');
  const all = JSON.stringify(await exported(buyer.uid));
  const { provider: _, ...kept } = JSON.parse(all);
  expect(JSON.stringify(kept)).not.toContain(email);
  expect(kept).toMatchObject({ auth: null, record: { nickname: 'Ada', stripeId: 'cus_of_theirs' } });
});

it('says that nothing is known of a user who never was', async () => {
  const { deps } = await connection;
  const nobody = 'nobody-at-all' as Uid;
  await expect(eraseUser(deps, nobody, true)).rejects.toThrow('Nothing is known of nobody-at-all');
});

it('gives by hand, shows who gave what and why, and takes back', async () => {
  const buyer = await aBuyer();
  const { email = '' } = await auth.getUser(buyer.uid);
  const by = ['--reason', 'lost a day to an outage', '--actor', `${buyer.uid}-support`];
  const given = await customer('grant', email, '--credits', '100', '--expires', '30d', ...by);
  expect([given.status, given.out]).toEqual([
    0,
    expect.stringContaining('has now: nothing is paid; 100 credits'),
  ]);
  const plan = await customer('grant', buyer.uid, '--entitlement', 'paid', '--until', '2060-12-31', ...by);
  expect([plan.status, plan.out]).toEqual([
    0,
    expect.stringMatching(/has now: paid, without a plan, until 2061-01-01 .*; 100 credits/),
  ]);
  expect(await buyer.paidClaim()).toBe(true);

  const shown = await customer(buyer.uid);
  expect(shown.status, shown.out).toBe(0);
  expect(shown.out).toContain('lost a day to an outage');
  expect(shown.out).toContain(`person:${buyer.uid}-support`);
  const [grant = ''] = /hand_\w+/.exec(given.out) ?? [];
  const back = await customer('revoke', buyer.uid, grant, ...by);
  expect([back.status, back.out]).toEqual([0, expect.stringContaining('; 0 credits')]);
  expect((await exported(buyer.uid)).byHand).toHaveLength(3);

  const tooMuch = await customer('grant', buyer.uid, '--credits', '10001', '--yes', ...by);
  expect([tooMuch.status, tooMuch.out]).toEqual([1, expect.stringContaining('grant_limit_reached')]);
  const unasked = await customer('grant', buyer.uid, '--credits', '1001', ...by);
  expect([unasked.status, unasked.out]).toEqual([1, expect.stringContaining('say --yes')]);
  const unknown = await customer('grant', buyer.uid, '--entitlement', 'gold', '--until', '1d', ...by);
  expect([unknown.status, unknown.out]).toEqual([1, expect.stringContaining('unknown_entitlement')]);
});
