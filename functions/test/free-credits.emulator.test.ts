import { randomUUID } from 'node:crypto';
import type { Catalog, FreeCredits } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { DAY, HOUR } from '@extension-billing/contract/time';
import { initializeApp } from 'firebase-admin/app';
import { FieldValue, getFirestore } from 'firebase-admin/firestore';
import { describe, expect, it } from 'vitest';
import { commitCredits } from '../src/credits/commit.ts';
import type { AppDeps } from '../src/deps.ts';
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

function anInstance() {
  const projectId = process.env.GCLOUD_PROJECT ?? 'demo-extension-billing';
  return getFirestore(initializeApp({ projectId }, randomUUID()));
}

/** The service with a catalogue of its own, at a time that the test moves. */
async function aService(changes: Partial<Catalog>, accounts: AppDeps['auth'] = auth) {
  const log = keptLog();
  // A client of its own, as each instance has one: what is leased is remembered by it.
  const firestore = anInstance();
  const clock = { now: Date.now() };
  let catalog = { ...testCatalog, ...changes };
  const stripe = async () => provider();
  const base = await serveApp({
    ...{ firestore, auth: accounts, stripe, log },
    now: () => clock.now,
    catalog: () => catalog,
  });
  const bearer = (idToken: string) => ({ authorization: `Bearer ${idToken}` });
  return {
    log,
    clock,
    base,
    publish: (published: Partial<Catalog>): void => {
      catalog = { ...catalog, ...published };
    },
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
    end: (
      { idToken }: Pick<EmulatedUser, 'idToken'>,
      how: 'confirm' | 'release',
      reservation: string = randomUUID(),
    ) => post(`${base}/credits/${how}`, JSON.stringify({ reservation }), bearer(idToken)),
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
  });

  it('go to one account of a person in each period, the first that asks, without a question to Firebase Auth', async () => {
    const asked: string[] = [];
    const counted = new Proxy(auth, {
      get: (target, name) => {
        if (name === 'getUser') asked.push(String(name));
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const free: FreeCredits = { ...FREE, every: '1h' };
    const { consume, balance, clock } = await aService({ free }, counted);
    clock.now -= HOUR;
    const name = randomUUID().replaceAll('-', '');
    const first = await signUp(`${name}@gmail.com`);
    const second = await signUp(`${name.slice(0, 4)}.${name.slice(4)}@gmail.com`);
    expect(await consume(first)).toMatchObject({ status: 200 });
    expect(await balance(second)).toEqual({ balance: 0, allowance: 0 });
    expect(await consume(second)).toMatchObject({ status: 402, body: { balance: 0, allowance: 0 } });
    clock.now += HOUR;
    expect(await consume(second)).toMatchObject({ status: 200, body: { balance: 19 } });
    expect(await balance(first)).toEqual({ balance: 0, allowance: 0 });
    expect(await consume(first)).toMatchObject({ status: 402, body: { balance: 0 } });
    expect(sumOf(await ledgerOf(first.uid))).toBe(0);
    expect(asked).toEqual([]);
  });

  it('never stand in the way of what a guest bought whose address had its free credits elsewhere', async () => {
    const free: FreeCredits = { ...FREE, every: '1h' };
    const { base, consume, balance, clock } = await aService({ free });
    clock.now -= HOUR;
    const guest = await aGuest();
    expect(await consume(guest)).toMatchObject({ status: 200, body: { balance: 4 } });
    const email = String((await guest.linkGoogle()).email);
    const first = await signUp(email.replace('@', '+first@'));
    expect(await consume(first)).toMatchObject({ status: 200, body: { balance: 19 } });
    const user = { idToken: await guest.renewedToken() };
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 3 } });
    await deliver(packBought(guest), base);
    const { packCreditsRemaining: bought } = (await recordOf(guest.uid)) ?? {};
    clock.now += HOUR;
    expect(await consume(first)).toMatchObject({ status: 200, body: { balance: 19 } });
    expect(await consume(user)).toMatchObject({
      status: 200,
      body: { allowance: 0, packCredits: bought - 1 },
    });
    expect(await balance(user)).toEqual({ balance: bought - 1, allowance: 0 });
  });

  it('stop at once if the catalogue gives none any more, and go on if it does again', async () => {
    const { base, consume, balance, reserve, end, publish } = await aService({ free: FREE });
    const user = await signUp();
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 19 } });
    const held = await reserve(user);
    publish({ free: null });
    expect(await balance(user)).toEqual({ balance: 0, allowance: 0 });
    const refusal = { status: 402, body: { code: 'credits_exhausted', balance: 0, allowance: 0 } };
    expect(await consume(user)).toMatchObject(refusal);
    // The work behind what was held before may be done.
    expect(await end(user, 'confirm', String(held.body.reservation))).toMatchObject({
      status: 200,
      body: { cost: 1 },
    });
    await deliver(packBought(user), base);
    const { packCreditsRemaining: bought } = (await recordOf(user.uid)) ?? {};
    expect(await consume(user)).toMatchObject({
      status: 200,
      body: { balance: bought - 1, allowance: 0, packCredits: bought - 1 },
    });
    publish({ free: FREE });
    expect(await balance(user)).toEqual({ balance: bought - 1 + 18, allowance: 18 });
  });

  it('are what the catalogue says from the next period on', async () => {
    const { consume, balance, clock, publish } = await aService({ free: { ...FREE, every: '1h' } });
    clock.now -= HOUR;
    const user = await signUp();
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 19 } });
    publish({ free: { ...FREE, every: '1h', credits: 7 } });
    expect(await balance(user)).toEqual({ balance: 19, allowance: 19 });
    clock.now += HOUR;
    expect(await balance(user)).toEqual({ balance: 7, allowance: 7 });
    expect(await consume(user)).toMatchObject({ status: 200, body: { balance: 6 } });
  });

  it('that an earlier build gave are honoured: the account has its next period, and another one of the person waits', async () => {
    const { consume, clock } = await aService({ free: { ...FREE, every: '1h' } });
    clock.now -= HOUR;
    const email = newEmail();
    const first = await signUp(email);
    const second = await signUp(email.replace('@', '+b@'));
    expect(await consume(first)).toMatchObject({ status: 200 });
    const { docs } = await firestore.collection('free_identities').where('uid', '==', first.uid).get();
    await docs[0]?.ref.update({ until: FieldValue.delete() });
    expect(await consume(second)).toMatchObject({ status: 402, body: { balance: 0 } });
    clock.now += HOUR;
    expect(await consume(first)).toMatchObject({ status: 200, body: { balance: 19 } });
    expect(await consume(second)).toMatchObject({ status: 402, body: { balance: 0 } });
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
        access: freeAccessOf({ firestore: own, log, catalog: () => catalog }, GUEST),
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

  it('is not used up by a guest who reserves and releases', async () => {
    const { consume, reserve, end } = await aService({ free: { ...FREE, dailyCeiling: 6 } });
    await firestore.doc(`free_days/${new Date().toISOString().slice(0, 10)}`).delete();
    const guest = await aGuest();
    for (let round = 0; round < 20; round += 1) {
      const held = await reserve(guest);
      expect(held).toMatchObject({ status: 200 });
      expect(await end(guest, 'release', String(held.body.reservation))).toMatchObject({ status: 200 });
    }
    const user = await signUp();
    expect(await consume(user, 'demo_deep')).toMatchObject({ status: 200, body: { cost: 5 } });
  });

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
