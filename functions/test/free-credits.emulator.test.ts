import { randomUUID } from 'node:crypto';
import type { Catalog, FreeCredits } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { aGuest, auth, type EmulatedUser, firestore, signUp } from './app/emulated-user.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { post } from './app/suite.ts';

const FREE: FreeCredits = {
  credits: 20,
  every: 'month',
  guests: 5,
  verifiedEmail: false,
  dailyCeiling: null,
};
const newEmail = (): string => `${randomUUID()}@example.com`;
const DAY = 86_400_000;

/** The service with a catalogue of its own, at a time that the test moves. */
async function aService(changes: Partial<Catalog>) {
  const log = keptLog();
  const clock = { now: Date.now() };
  const catalog = { ...testCatalog, ...changes };
  const base = await serveApp({ firestore, auth, log, now: () => clock.now, catalog: () => catalog });
  const bearer = (idToken: string) => ({ authorization: `Bearer ${idToken}` });
  return {
    log,
    clock,
    consume: ({ idToken }: Pick<EmulatedUser, 'idToken'>, feature = 'demo') =>
      post(`${base}/credits/consume`, JSON.stringify({ feature }), {
        ...bearer(idToken),
        'idempotency-key': randomUUID(),
      }),
    reserve: ({ idToken }: Pick<EmulatedUser, 'idToken'>) =>
      post(`${base}/credits/reserve`, JSON.stringify({ feature: 'demo' }), {
        ...bearer(idToken),
        'idempotency-key': randomUUID(),
      }),
    async balance({ idToken }: Pick<EmulatedUser, 'idToken'>): Promise<unknown> {
      const response = await fetch(`${base}/credits/balance`, { headers: bearer(idToken) });
      return response.json();
    },
  };
}

const recordOf = async (uid: string) => (await firestore.doc(`customers/${uid}`).get()).data();
async function ledgerOf(uid: string) {
  const { docs } = await firestore.collection(`customers/${uid}/credit_ledger`).get();
  return docs.map((entry) => entry.data());
}
const sumOf = (entries: readonly { readonly [field: string]: unknown }[]): number =>
  entries.reduce((sum, { deltaAllowance, deltaPack }) => sum + Number(deltaAllowance) + Number(deltaPack), 0);

describe('a catalogue that gives no credits and lets nobody run without', () => {
  it('refuses an account without credits, and writes nothing', async () => {
    const { consume, reserve, balance } = await aService({ unmetered: 'refuse' });
    const user = await signUp();
    const refusal = {
      status: 402,
      body: { code: 'credits_exhausted', balance: 0, allowance: 0, replayed: false },
    };
    expect(await consume(user)).toMatchObject(refusal);
    expect(await reserve(user)).toMatchObject(refusal);
    expect(await balance(user)).toEqual({ balance: 0, allowance: 0 });
    expect(await recordOf(user.uid)).toBeUndefined();
    expect(await ledgerOf(user.uid)).toEqual([]);
  });
});

describe('free credits', () => {
  it('are in sight before they are asked for, and come with the first consume, with record and ledger', async () => {
    const { consume, balance } = await aService({ free: FREE });
    const user = await signUp();
    expect(await balance(user)).toEqual({ balance: 20, allowance: 20 });
    expect(await recordOf(user.uid)).toBeUndefined();
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 19, allowance: 19 } });
    expect(await balance(user)).toEqual({ balance: 19, allowance: 19 });
    expect(await recordOf(user.uid)).toMatchObject({ paid: false, plan: null, creditsRemaining: 19 });
    expect(sumOf(await ledgerOf(user.uid))).toBe(19);
  });

  it('are the same once, for 100 requests at once and ten devices', async () => {
    const services = await Promise.all([1, 2].map(() => aService({ free: FREE })));
    const user = await signUp();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => services[index % 2]?.consume(user)),
    );
    expect(answers.filter((answer) => answer?.status === 200)).toHaveLength(20);
    expect(answers.filter((answer) => answer?.status === 402)).toHaveLength(80);
    expect(await recordOf(user.uid)).toMatchObject({ creditsRemaining: 0 });
  });

  it('do not come again with a new account of the same address, until the next period', async () => {
    const { consume, balance } = await aService({ free: FREE });
    const email = newEmail();
    const first = await signUp(email);
    expect(await consume(first, 'demo_deep')).toMatchObject({ status: 200, body: { balance: 15 } });
    await auth.deleteUser(first.uid);
    const second = await signUp(email.replace('@', '+again@'));
    expect(await balance(second)).toEqual({ balance: 0, allowance: 0 });
    expect(await consume(second)).toMatchObject({ status: 402, body: { balance: 0 } });
    const [pool] = (await recordOf(second.uid))?.allowances ?? [];
    expect(pool.from.toMillis()).toBeGreaterThan(Date.now() + 27 * DAY);
    // What the first one had goes on no longer than its period.
    const [old] = (await recordOf(first.uid))?.allowances ?? [];
    expect(old.until.toMillis()).toBe(pool.from.toMillis());
  });

  it('are the first account’s, while two of one person live', async () => {
    const { consume } = await aService({ free: FREE });
    const name = randomUUID().replaceAll('-', '');
    const first = await signUp(`${name}@gmail.com`);
    const second = await signUp(`${name.slice(0, 4)}.${name.slice(4)}@gmail.com`);
    expect(await consume(first)).toMatchObject({ status: 200 });
    expect(await consume(second)).toMatchObject({ status: 402, body: { balance: 0, allowance: 0 } });
    expect(await recordOf(second.uid)).toBeUndefined();
  });

  it('of a guest are topped up once the guest has an address', async () => {
    const { consume, balance } = await aService({ free: FREE });
    const guest = await aGuest();
    expect(await balance(guest)).toEqual({ balance: 5, allowance: 5 });
    expect(await consume(guest)).toMatchObject({ status: 200, body: { balance: 4 } });
    await guest.addPassword();
    const user = { idToken: await guest.renewedToken() };
    expect(await balance(user)).toEqual({ balance: 19, allowance: 19 });
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 18 } });
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 17 } });
    expect(sumOf(await ledgerOf(guest.uid))).toBe(17);
  });

  it('are nobody’s whose address was not verified, where the catalogue says so', async () => {
    const free = { ...FREE, guests: 0, verifiedEmail: true };
    const { consume, balance } = await aService({ free });
    const user = await signUp();
    expect(await consume(user)).toMatchObject({ status: 402, body: { balance: 0 } });
    expect(await consume(await aGuest())).toMatchObject({ status: 402, body: { balance: 0 } });
    expect(await balance(user)).toEqual({ balance: 0, allowance: 0 });
    expect(await recordOf(user.uid)).toBeUndefined();
  });
});
