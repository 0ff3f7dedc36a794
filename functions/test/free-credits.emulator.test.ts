import { randomUUID } from 'node:crypto';
import type { Catalog, FreeCredits } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { initializeApp } from 'firebase-admin/app';
import { getFirestore } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { commitCredits } from '../src/credits/commit.ts';
import { freeAccessOf } from '../src/free/give.ts';
import { GUEST } from '../src/free/identity.ts';
import { Unavailable } from '../src/http/answer.ts';
import { aGuest, auth, type EmulatedUser, firestore, signUp } from './app/emulated-user.ts';
import { keptLog, serveApp } from './app/serve-app.ts';
import { post, provider } from './app/suite.ts';
import { newId, packBought, subscriptionEvent } from './factories/provider-events.ts';
import { asUid } from './fixtures/as-uid.ts';
import { deliver } from './fixtures/service.ts';

const FREE: FreeCredits = {
  credits: 20,
  every: 'month',
  guests: 5,
  verifiedEmail: false,
  dailyCeiling: null,
};
const newEmail = (): string => `${randomUUID()}@example.com`;
const DAY = 86_400_000;

function anInstance() {
  const projectId = process.env.GCLOUD_PROJECT ?? 'demo-extension-billing';
  return getFirestore(initializeApp({ projectId }, randomUUID()));
}

/** The service with a catalogue of its own, at a time that the test moves. */
async function aService(changes: Partial<Catalog>) {
  const log = keptLog();
  // A client of its own, as each instance has one: what is leased is remembered by it.
  const firestore = anInstance();
  const clock = { now: Date.now() };
  const catalog = { ...testCatalog, ...changes };
  const stripe = async () => provider();
  const base = await serveApp({
    ...{ firestore, auth, stripe, log },
    now: () => clock.now,
    catalog: () => catalog,
  });
  const bearer = (idToken: string) => ({ authorization: `Bearer ${idToken}` });
  return {
    log,
    clock,
    base,
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
    end: ({ idToken }: Pick<EmulatedUser, 'idToken'>, how: 'confirm' | 'release') =>
      post(`${base}/credits/${how}`, JSON.stringify({ reservation: randomUUID() }), bearer(idToken)),
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
    const { consume, reserve, end, balance } = await aService({ unmetered: 'refuse' });
    const user = await signUp();
    const refusal = {
      status: 402,
      body: { code: 'credits_exhausted', balance: 0, allowance: 0, replayed: false },
    };
    expect(await consume(user)).toMatchObject(refusal);
    expect(await reserve(user)).toMatchObject(refusal);
    const nothingHeld = { status: 404, body: { code: 'unknown_reservation' } };
    expect(await end(user, 'confirm')).toMatchObject(nothingHeld);
    expect(await end(user, 'release')).toMatchObject(nothingHeld);
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
    await guest.linkGoogle();
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

describe('beside what is bought', () => {
  it('the free credits of an account stay, and are spent first', async () => {
    const { base, consume, balance } = await aService({ free: FREE });
    const user = await signUp();
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 19 } });
    expect((await deliver(packBought(user), base)).body).toMatchObject({ outcome: 'applied' });
    const { packCreditsRemaining: bought } = (await recordOf(user.uid)) ?? {};
    expect(bought).toBeGreaterThan(0);
    expect(await balance(user)).toEqual({ balance: 19 + bought, allowance: 19 });
    await deliver(subscriptionEvent('created', { uid: user.uid, subscription: newId('sub') }), base);
    expect(await balance(user)).toEqual({ balance: 19 + bought, allowance: 19 });
    expect(await consume(user)).toMatchObject({ status: 200, body: { allowance: 18, packCredits: bought } });
    expect(sumOf(await ledgerOf(user.uid))).toBe(18 + bought);
  });

  it('come to an account that bought before there were any', async () => {
    const before = await aService({});
    const user = await signUp();
    await deliver(packBought(user), before.base);
    const { packCreditsRemaining: bought } = (await recordOf(user.uid)) ?? {};
    const { consume } = await aService({ free: FREE });
    expect(await consume(user)).toMatchObject({ status: 200, body: { allowance: 19, packCredits: bought } });
    expect(sumOf(await ledgerOf(user.uid))).toBe(19 + bought);
  });
});

describe('the ceiling of a day', () => {
  /** A day of its own for each test: the counter is one for the whole project. */
  const aDay = (): number =>
    Date.UTC(2100 + Math.floor(Math.random() * 800), 0, 1 + Math.floor(Math.random() * 360), 12);

  it('is not passed by 1,000 guests at once in three instances, and is nearly reached', async () => {
    const log = keptLog();
    const catalog = { ...testCatalog, free: { ...FREE, dailyCeiling: 300 } };
    const instances = Array.from({ length: 3 }, () => {
      const own = anInstance();
      return {
        firestore: own,
        access: freeAccessOf({ firestore: own, auth, log, catalog: () => catalog }, GUEST),
      };
    });
    const now = aDay();
    const run = randomUUID();
    const spend = async (guest: number): Promise<string> => {
      const instance = instances[guest % 3];
      if (instance === undefined) throw new Error('no instance');
      const command = { kind: 'consume', key: 'once', feature: 'demo', cost: 1 } as const;
      const uid = asUid(`${run}-${guest}`);
      try {
        return (await commitCredits(instance.firestore, uid, command, now, instance.access)).kind;
      } catch (error) {
        if (error instanceof Unavailable) return spend(guest);
        throw error;
      }
    };
    const outcomes = await Promise.all(Array.from({ length: 1_000 }, (_, guest) => spend(guest)));
    const granted = outcomes.filter((kind) => kind === 'granted').length;
    expect(granted).toBeLessThanOrEqual(300);
    expect(granted, 'what the instances keep is little').toBeGreaterThan(270);
    expect(outcomes.filter((kind) => kind === 'free_ceiling')).toHaveLength(1_000 - granted);
    const lines = log.lines.filter(({ event }) => event === 'free_ceiling_reached');
    expect(lines.length, 'once for each instance').toBeLessThanOrEqual(3);
    expect(lines.map(({ severity }) => severity)).toContain('error');
    const day = new Date(now).toISOString().slice(0, 10);
    expect((await firestore.doc(`free_days/${day}`).get()).get('leased')).toBe(300);
    await Promise.all(instances.map((instance) => instance.firestore.terminate()));
  }, 60_000);

  it('refuses with its own code, records nothing, and lets through what was bought', async () => {
    const { clock, base, consume, reserve, log } = await aService({ free: { ...FREE, dailyCeiling: 3 } });
    const user = await signUp();
    // An hour before its token ends, on a day that no other test has.
    clock.now = Date.now();
    const day = new Date(clock.now).toISOString().slice(0, 10);
    await firestore.doc(`free_days/${day}`).delete();
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 19 } });
    expect(await reserve(user)).toMatchObject({ status: 200 });
    expect(await consume(user)).toMatchObject({ status: 200 });
    const refusal = { status: 402, body: { code: 'free_ceiling_reached', balance: 17, replayed: false } };
    expect(await consume(user)).toMatchObject(refusal);
    expect(await reserve(user)).toMatchObject(refusal);
    expect((await ledgerOf(user.uid)).filter(({ outcome }) => outcome === 'exhausted')).toEqual([]);
    expect(log.lines.filter(({ event }) => event === 'free_ceiling_reached')).toHaveLength(1);
    await deliver(packBought(user), base);
    const { packCreditsRemaining: bought } = (await recordOf(user.uid)) ?? {};
    expect(await consume(user)).toMatchObject({
      status: 200,
      body: { allowance: 17, packCredits: bought - 1 },
    });
  });
});
