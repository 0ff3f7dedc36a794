import { PACK } from '@extension-billing/contract/test/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LOCAL_ENVIRONMENT } from './app/config.ts';
import type { Answer } from './app/suite.ts';
import {
  invoicePaid,
  lifetimeBought,
  newId,
  type PostedEvent,
  packBought,
  packRefunded,
  subscriptionEvent,
} from './factories/provider-events.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { NoHistory, OF_FORM_1, previousRelease } from './fixtures/previous-release.ts';
import { BUILT, type Served, startBundle } from './fixtures/serve-bundle.ts';
import { aUser, deliver, requestsTo } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

/** Two builds on one database, each in a process of its own: docs/decisions/firestore.md#schema-version. */

const SUITE = {
  ...LOCAL_ENVIRONMENT,
  PAYMENT_API_BASE: process.env.PROVIDER_BASE_URL ?? '',
  PAYMENT_WEBHOOK_SECRET: process.env.PAYMENT_WEBHOOK_SECRET ?? '',
  GCLOUD_PROJECT: process.env.GCLOUD_PROJECT ?? '',
  FIRESTORE_EMULATOR_HOST: process.env.FIRESTORE_EMULATOR_HOST ?? '',
  FIREBASE_AUTH_EMULATOR_HOST: process.env.FIREBASE_AUTH_EMULATOR_HOST ?? '',
  METADATA_SERVER_DETECTION: 'none',
};

const started: Served[] = [];
let older = '';
let newer = '';

async function start(folder: string): Promise<string> {
  const served = await startBundle(folder, SUITE);
  started.push(served);
  if (!(await served.isUp())) throw new Error(`${folder} does not start: ${served.output()}`);
  return served.base;
}

/** Without history two instances of this build are tried, which shows less, and the run says so. */
async function olderBuild(commit?: string): Promise<string> {
  try {
    return await previousRelease(commit);
  } catch (error) {
    if (!(error instanceof NoHistory)) throw error;
    console.warn(`${error.message} This build stands in for it.`);
    return BUILT;
  }
}

beforeAll(async () => {
  [older, newer] = await Promise.all([olderBuild().then(start), start(BUILT)]);
}, 120_000);

afterAll(() => Promise.all(started.map(({ stop }) => stop())));

type Asker = Pick<Awaited<ReturnType<typeof aUser>>, 'idToken'>;
const at = (build: string, { idToken }: Asker) => requestsTo(build, idToken);

/** As the provider does: again, until the answer is good. */
async function send(build: string, ...events: readonly PostedEvent[]): Promise<void> {
  for (const event of events) {
    await expect
      .poll(async () => (await deliver(event, build)).status, { timeout: 20_000, interval: 100 })
      .toBe(200);
  }
}

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);

/** What happens to one user at the provider, in the order in which it happens. */
function aLife(uid: string) {
  const plan = { uid, subscription: newId('sub') };
  const pack = { uid, paymentIntent: newId('pi') };
  const trial = { status: 'trialing', trial_end: NOW + DAY };
  return {
    pack: packBought(pack),
    begun: subscriptionEvent('created', plan, trial, NOW - 200),
    active: subscriptionEvent('updated', plan, {}, NOW - 100),
    paid: invoicePaid(plan),
    secondPack: packBought({ uid }),
    renewed: subscriptionEvent('updated', plan, {}, NOW),
    renewal: invoicePaid(plan, { period: 1 }),
    refund: packRefunded(pack, 250),
    lifetime: lifetimeBought({ uid }),
    over: subscriptionEvent('deleted', plan, {}, NOW),
  };
}

/** A record without what is each user's own, and without the time of its last write. */
async function comparable(user: Pick<Awaited<ReturnType<typeof aUser>>, 'record'>) {
  const { customerId: _customer, updatedAt: _at, ...rest } = (await user.record()) ?? {};
  return rest;
}

/** How many credits requests have taken, by the ledger. */
async function spentBy(user: Pick<Awaited<ReturnType<typeof aUser>>, 'ledger'>): Promise<number> {
  const entries = [...(await user.ledger()).values()].filter(({ feature }) => feature !== undefined);
  return -entries.reduce((sum, { deltaAllowance, deltaPack }) => sum + deltaAllowance + deltaPack, 0);
}

/** Consumes and reservations of one user through both builds at once. Answers how many credits they took. */
async function spendThroughBoth(user: Asker): Promise<number> {
  const [one, other] = [at(older, user), at(newer, user)];
  const singles = [one, other, one, other, one, other, one, other].map((asks) => asks.consume());
  const shared = newId('key');
  const twice = [one.consume('demo', shared), other.consume('demo', shared)];
  const reserveAndEnd = async (first: typeof one, then: typeof one, how: 'confirm' | 'release') => {
    const key = newId('key');
    const reserved = await first.reserve('demo_deep', key);
    return [reserved, await then[how](key)];
  };
  const held = await Promise.all([
    reserveAndEnd(one, other, 'confirm'),
    reserveAndEnd(other, one, 'confirm'),
    reserveAndEnd(one, other, 'release'),
    reserveAndEnd(other, one, 'release'),
  ]);
  const answers: readonly Answer[] = [...(await Promise.all([...singles, ...twice])), ...held.flat()];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [200, undefined]));
  return singles.length + 1 + 2 * 5;
}

it('says what to do where the history of the release before is missing', async () => {
  await expect(previousRelease('0'.repeat(40))).rejects.toThrow('git fetch --unshallow');
});

describe('while a release is rolled out', () => {
  it('requests and events of one user through both builds: nothing is lost or counted twice', async () => {
    const lives = await Promise.all(
      [0, 1, 2].map(async (turn) => {
        const user = await aUser();
        const life = aLife(user.uid);
        // Each user meets the builds the other way around.
        const [first, second] = turn % 2 === 0 ? [older, newer] : [newer, older];
        await Promise.all([send(first, life.pack), send(second, life.pack)]);
        await send(first, life.begun, life.paid);
        await send(second, life.active);
        const [spent] = await Promise.all([
          spendThroughBoth(user),
          send(second, life.secondPack, life.renewal),
          send(first, life.renewed, life.secondPack),
        ]);
        expect(await spentBy(user)).toBe(spent);
        expect(await user.credits()).toMatchObject({ packs: 200 });
        await send(second, life.refund);
        await send(first, life.refund);
        await send(second, life.over);
        await send(first, life.lifetime);
        return user;
      }),
    );

    const control = await aUser();
    await send(newer, ...Object.values(aLife(control.uid)));
    for (const user of lives) {
      expect(await user.credits()).toEqual({ allowance: 0, packs: 150 });
      expect(await user.paidClaim()).toBe(true);
      await send(newer, packBought({ uid: user.uid }));
    }
    await send(newer, packBought({ uid: control.uid }));
    for (const user of lives) expect(await comparable(user)).toEqual(await comparable(control));
  });
});

/** The same as an event of a plan whose credits the clock brings. */
function byTheClock(event: PostedEvent): PostedEvent {
  return JSON.parse(JSON.stringify(event), (field, value) =>
    field === 'metadata' && value.kind === 'subscription' ? { ...value, credits_every: 'month' } : value,
  );
}

describe('an account with credits by the clock', () => {
  it('waits for the newer build, which alone knows its form, and loses nothing', async () => {
    const folder = await olderBuild(OF_FORM_1);
    // Without history there is none that does not know it.
    if (folder === BUILT) return;
    const ofForm1 = await start(folder);
    const user = await aUser();
    const life = aLife(user.uid);
    await send(newer, byTheClock(life.begun), byTheClock(life.active), byTheClock(life.paid));
    expect(await user.record()).toMatchObject({ schemaVersion: 2, creditsAllowance: 1000 });
    const key = newId('key');
    expect((await at(ofForm1, user).consume('demo', key)).status).toBe(503);
    expect((await deliver(life.pack, ofForm1)).status).toBe(503);
    expect((await at(newer, user).consume('demo', key)).body).toMatchObject({ ok: true, replayed: false });
    await send(newer, life.pack, byTheClock(life.renewal));
    expect(await user.credits()).toMatchObject({ packs: 100 });
    expect(await spentBy(user)).toBe(1);
  });

  it('whose invoice the older build read as its own gets no second allowance for it', async () => {
    const user = await aUser();
    const life = aLife(user.uid);
    await send(older, byTheClock(life.begun), byTheClock(life.active), byTheClock(life.paid));
    expect((await at(older, user).consume('demo_deep')).status).toBe(200);
    await send(newer, life.pack);
    expect(await user.credits()).toEqual({ allowance: 995, packs: 100 });
    // What reconcile commits where the same invoice says more than is known of it.
    await send(newer, { ...byTheClock(life.paid), id: newId('evt') });
    expect(await user.record()).toMatchObject({ schemaVersion: 2 });
    expect(await user.credits()).toEqual({ allowance: 995, packs: 100 });
    expect((await at(newer, user).consume()).status).toBe(200);
    expect(await user.credits()).toEqual({ allowance: 994, packs: 100 });
  });
});

describe('a rollback', () => {
  it('goes on with what the newer build wrote, and the newer build with what the older one did', async () => {
    const user = await aUser();
    const [one, other] = [at(older, user), at(newer, user)];
    const life = aLife(user.uid);
    await send(newer, life.pack, life.begun, life.active, life.paid, life.lifetime);
    const [kept, confirmed, released] = [newId('key'), newId('key'), newId('key')];
    const answer = await other.consume('demo', kept);
    await other.reserve('demo_deep', confirmed);
    await other.reserve('demo_deep', released);

    expect(await one.balance()).toEqual(await other.balance());
    expect((await one.consume('demo', kept)).body).toEqual({ ...answer.body, replayed: true });
    expect((await one.confirm(confirmed)).status).toBe(200);
    expect((await one.release(released)).status).toBe(200);
    expect(await user.credits()).toEqual({ allowance: 994, packs: 100 });
    await send(older, life.secondPack, life.renewed, life.renewal, life.refund);
    const byOlder = newId('key');
    const spent = await one.consume('demo', byOlder);
    expect(await user.credits()).toEqual({ allowance: 999, packs: 150 });
    await send(older, life.over);

    expect((await other.consume('demo', byOlder)).body).toEqual({ ...spent.body, replayed: true });
    expect((await other.usage({})).status).toBe(200);
    await send(newer, ...Object.values(life));
    expect(await user.credits()).toEqual({ allowance: 0, packs: 150 });
    await send(newer, packBought({ uid: user.uid }));
    const control = await aUser();
    await send(newer, ...Object.values(aLife(control.uid)), packBought({ uid: control.uid }));
    expect(await comparable(user)).toEqual(await comparable(control));
    expect(await user.paidClaim()).toBe(true);
  });

  it('forgets nothing that only the newer build understands: a dispute of part of the money', async () => {
    const user = await aBuyer();
    await user.buy(PACK.small);
    await simulator.delivered();
    await simulator.dispute((await user.charge()).id, 'lost', 250);
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 50 });
    await send(older, packBought({ uid: user.uid }));
    expect((await at(older, user).consume()).status).toBe(200);
    await user.credits();
    await send(newer, packBought({ uid: user.uid }));
    expect(await user.credits()).toEqual({ allowance: 0, packs: 249 });
  });
});
