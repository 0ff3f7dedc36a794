import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import {
  invoicePaid,
  newId,
  packBought,
  packRefunded,
  subscriptionEvent,
} from './factories/provider-events.ts';
import { aUser, deliver } from './fixtures/service.ts';

type User = Awaited<ReturnType<typeof aUser>>;

/** A user with an allowance and a pack: 7 + 10 credits. */
async function aMeteredUser() {
  const user = await aUser();
  const plan = { uid: user.uid, subscription: newId('sub') };
  await deliver(packBought(user, 10));
  await deliver(subscriptionEvent('created', plan));
  await deliver(invoicePaid(plan, { monthlyCredits: 7 }));
  return { ...user, plan };
}

async function aUserWith(packCredits: number): Promise<User> {
  const user = await aUser();
  await deliver(packBought(user, packCredits));
  return user;
}

const holdsOf = async (user: User): Promise<unknown> => (await user.record())?.creditHolds;
const codeOf = ({ status, body }: Awaited<ReturnType<User['reserve']>>) => [status, body.code];

/** A reservation of the shortest time, after that time. */
async function expired(user: User, key = 'late'): Promise<void> {
  const before = await user.balance();
  expect((await user.reserve('demo_deep', key, { expiresInSeconds: 1 })).status).toBe(200);
  await vi.waitFor(async () => expect(await user.balance()).toEqual(before), {
    timeout: 5_000,
    interval: 100,
  });
}

describe('POST /credits/reserve', () => {
  it('holds the cost: it is still owned, and nobody can spend it', async () => {
    const user = await aMeteredUser();
    const { status, body } = await user.reserve('demo_deep', 'job', { expiresInSeconds: 60 });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      reservation: 'job',
      balance: 12,
      allowance: 2,
      packCredits: 10,
      cost: 5,
      replayed: false,
    });
    expect(Number(body.expiresAt) - Number(body.updatedAt)).toBe(60_000);
    expect(await user.credits()).toEqual({ allowance: 7, packs: 10 });
    expect(await user.balance()).toEqual({ balance: 12, allowance: 2 });
    expect((await user.ledger()).get('reserve_job')).toMatchObject({
      kind: 'reserve',
      outcome: 'granted',
      feature: 'demo_deep',
      cost: 5,
      held: 5,
      deltaAllowance: 0,
      deltaPack: 0,
      allowance: 7,
      packCredits: 10,
    });
  });

  it('leaves a consume only what is not held, and refuses what the rest does not cover', async () => {
    const user = await aUserWith(7);
    await user.reserve('demo_deep', 'job');
    expect((await user.consume()).body).toMatchObject({ ok: true, balance: 1 });
    expect(await user.consume('demo_deep')).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', balance: 1, allowance: 0, replayed: false },
    });
    expect(await user.reserve('demo_deep', 'other')).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', balance: 1 },
    });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 6 });
  });

  it('holds once per key, replays its answer, and replays a refusal too', async () => {
    const user = await aUserWith(6);
    const first = await user.reserve('demo_deep', 'job');
    const again = await user.reserve('demo_deep', 'job');
    expect(again.body).toEqual({ ...first.body, replayed: true });
    expect(await user.balance()).toMatchObject({ balance: 1 });
    expect((await user.reserve('demo_deep', 'refused')).status).toBe(402);
    await user.release('job');
    expect(await user.reserve('demo_deep', 'refused')).toMatchObject({
      status: 402,
      body: { replayed: true },
    });
  });

  it('with the same key for something else is a 422; a consume has keys of its own', async () => {
    const user = await aUserWith(20);
    await user.reserve('demo', 'job');
    expect(codeOf(await user.reserve('demo_deep', 'job'))).toEqual([422, 'idempotency_key_reused']);
    expect(codeOf(await user.reserve('demo', 'job', { expiresInSeconds: 7 }))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect((await user.consume('demo_deep', 'job')).status).toBe(200);
  });

  it('holds at most what there is, however many ask at once', async () => {
    const user = await aUserWith(12);
    const answers = await Promise.all(Array.from({ length: 20 }, () => user.reserve('demo_deep')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(18);
    expect(await user.balance()).toMatchObject({ balance: 2 });
  });

  it('of an account without credits runs free: nothing is held, written or to be settled', async () => {
    const user = await aUser();
    expect((await user.reserve('demo', 'job')).body).toEqual({
      ok: true,
      reservation: 'job',
      balance: null,
      allowance: null,
      packCredits: null,
      cost: 0,
      expiresAt: null,
      replayed: false,
      updatedAt: null,
    });
    const settled = { ok: true, balance: null, cost: 0, shortfall: 0 };
    expect(await user.confirm('job')).toMatchObject({ status: 200, body: settled });
    expect(await user.release('job')).toMatchObject({ status: 200, body: settled });
    expect(await user.record()).toBeUndefined();
  });

  it.each([
    ['no feature', {}, 'invalid_request'],
    ['an unknown feature', { feature: 'teleport' }, 'unknown_feature'],
    ['a cost', { feature: 'demo', cost: 0 }, 'invalid_request'],
    ['no time', { feature: 'demo', expiresInSeconds: 0 }, 'invalid_request'],
    ['more than a day', { feature: 'demo', expiresInSeconds: 86_401 }, 'invalid_request'],
    ['half seconds', { feature: 'demo', expiresInSeconds: 1.5 }, 'invalid_request'],
    ['time as text', { feature: 'demo', expiresInSeconds: '60' }, 'invalid_request'],
  ])('with %s is a 400, and nothing is written', async (_what, body, code) => {
    const user = await aUserWith(5);
    expect(codeOf(await user.reserve(undefined, 'job', { feature: undefined, ...body }))).toEqual([
      400,
      code,
    ]);
    expect((await user.ledger()).size).toBe(1);
  });

  it('needs an idempotency key', async () => {
    const user = await aUserWith(5);
    expect(codeOf(await user.reserve('demo', 'a/b'))).toEqual([400, 'idempotency_key_required']);
  });
});

describe('POST /credits/confirm', () => {
  it('takes what was held, the allowance first, and frees the rest of the record from it', async () => {
    const user = await aMeteredUser();
    await user.consume('demo_deep');
    await user.reserve('demo_deep', 'job');
    expect((await user.confirm('job')).body).toMatchObject({
      ok: true,
      balance: 7,
      allowance: 0,
      packCredits: 7,
      cost: 5,
      shortfall: 0,
      replayed: false,
    });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 7 });
    expect(await user.balance()).toEqual({ balance: 7, allowance: 0 });
    expect(await user.record()).not.toHaveProperty('creditHolds');
    expect((await user.ledger()).get('settle_job')).toMatchObject({
      kind: 'confirm',
      cost: 5,
      deltaAllowance: -2,
      deltaPack: -3,
    });
  });

  it('takes once, however often it is asked', async () => {
    const user = await aUserWith(10);
    await user.reserve('demo_deep', 'job');
    const answers = await Promise.all(Array.from({ length: 12 }, () => user.confirm('job')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ body }) => body.replayed === false)).toHaveLength(1);
    const [first] = answers;
    expect((await user.confirm('job')).body).toEqual({ ...first?.body, replayed: true });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 5 });
  });

  it('after a release, or the other way round, is a 409 that says how it ended', async () => {
    const user = await aUserWith(20);
    await user.reserve('demo_deep', 'released');
    await user.release('released');
    expect(codeOf(await user.confirm('released'))).toEqual([409, 'reservation_released']);
    await user.reserve('demo_deep', 'confirmed');
    await user.confirm('confirmed');
    expect(codeOf(await user.release('confirmed'))).toEqual([409, 'reservation_confirmed']);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 15 });
  });

  it('and a release at once: one of them ends the reservation, the other is told', async () => {
    const user = await aUserWith(10);
    await user.reserve('demo_deep', 'job');
    const [confirmed, released] = await Promise.all([user.confirm('job'), user.release('job')]);
    expect([confirmed.status, released.status].sort()).toEqual([200, 409]);
    expect(await user.credits()).toEqual({ allowance: 0, packs: confirmed.status === 200 ? 5 : 10 });
  });

  it('of what was never held is a 404', async () => {
    const user = await aUserWith(3);
    expect(codeOf(await user.confirm('nothing'))).toEqual([404, 'unknown_reservation']);
    await user.reserve('demo_deep', 'refused');
    expect(codeOf(await user.confirm('refused'))).toEqual([404, 'unknown_reservation']);
    expect(codeOf(await user.release('refused'))).toEqual([404, 'unknown_reservation']);
    const stranger = await aUserWith(9);
    await stranger.reserve('demo', 'theirs');
    expect(codeOf(await user.confirm('theirs'))).toEqual([404, 'unknown_reservation']);
  });

  it.each([{}, { reservation: 'a/b' }, { reservation: 7 }])('of %j is a 400', async (body) => {
    const user = await aUser();
    const { reservation } = body as { reservation: string };
    expect(codeOf(await user.confirm(reservation))).toEqual([400, 'invalid_request']);
  });
});

describe('POST /credits/release', () => {
  it('lets go of what was held, and spends nothing', async () => {
    const user = await aUserWith(6);
    await user.reserve('demo_deep', 'job');
    const released = await user.release('job');
    expect(released.body).toMatchObject({ ok: true, balance: 6, cost: 0, shortfall: 0, replayed: false });
    expect((await user.release('job')).body).toEqual({ ...released.body, replayed: true });
    expect((await user.consume('demo_deep')).status).toBe(200);
    expect(await user.credits()).toEqual({ allowance: 0, packs: 1 });
  });
});

describe('a reservation that expires', () => {
  it('frees its credits by itself, and the next write takes it out of the record', async () => {
    const user = await aUserWith(5);
    await expired(user);
    expect(await holdsOf(user)).toHaveLength(1);
    expect((await user.consume('demo_deep')).status).toBe(200);
    expect(await user.record()).not.toHaveProperty('creditHolds');
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
  });

  it('cannot be confirmed, also where the credits are there: 409, and it stays so', async () => {
    const user = await aUserWith(10);
    await expired(user);
    expect(codeOf(await user.confirm('late'))).toEqual([409, 'reservation_expired']);
    expect(codeOf(await user.confirm('late'))).toEqual([409, 'reservation_expired']);
    expect((await user.ledger()).get('settle_late')).toMatchObject({ kind: 'expiry', deltaPack: 0 });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 10 });
  });

  it('can be released: there is nothing left to do', async () => {
    const user = await aUserWith(10);
    await expired(user);
    expect(await user.release('late')).toMatchObject({ status: 200, body: { balance: 10, cost: 0 } });
    expect(codeOf(await user.confirm('late'))).toEqual([409, 'reservation_expired']);
  });

  it('stays confirmed where it was confirmed in time', async () => {
    const user = await aUserWith(10);
    await user.reserve('demo', 'job', { expiresInSeconds: 1 });
    const first = await user.confirm('job');
    await expired(user);
    expect((await user.confirm('job')).body).toEqual({ ...first.body, replayed: true });
  });
});

describe('a reservation while the credits change', () => {
  it('takes what a refund left, says what was short, and never goes below zero', async () => {
    const user = await aUser();
    const paymentIntent = newId('pi');
    await deliver(packBought({ ...user, paymentIntent }, 6));
    await user.reserve('demo_deep', 'job');
    await deliver(packRefunded({ ...user, paymentIntent }, 250, 6));
    expect(await user.balance()).toEqual({ balance: 0, allowance: 0 });
    expect((await user.consume()).status).toBe(402);
    expect((await user.confirm('job')).body).toMatchObject({ balance: 0, cost: 3, shortfall: 2 });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 0 });
    expect((await user.ledger()).get('settle_job')).toMatchObject({ shortfall: 2, deltaPack: -3 });
  });

  it('outlives a reset of the allowance, and is taken from the new one', async () => {
    const user = await aMeteredUser();
    await user.reserve('demo_deep', 'job');
    await deliver(invoicePaid(user.plan, { period: 1, monthlyCredits: 8 }));
    expect(await user.balance()).toEqual({ balance: 13, allowance: 3 });
    await user.confirm('job');
    expect(await user.credits()).toEqual({ allowance: 3, packs: 10 });
  });

  it('is allocated by the next event as a spend', async () => {
    const user = await aMeteredUser();
    await user.reserve('demo_deep', randomUUID());
    const { body } = await user.reserve('demo_deep', 'job');
    expect(body).toMatchObject({ balance: 7, allowance: 0 });
    await user.confirm('job');
    await deliver(packBought(user, 100));
    expect(await user.credits()).toEqual({ allowance: 2, packs: 110 });
  });
});
