import { PLAN } from '@extension-billing/contract/test/catalog';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { firestore, signUp } from '../../../functions/test/app/emulated-user.ts';
import { aCreditHolder } from '../../../functions/test/fixtures/credit-holder.ts';
import { billingThrough } from '../src/requests.ts';
import { losing, WAYS, type Way } from './ways.ts';

const ledgerOf = async (uid: string) => {
  const { docs } = await firestore.collection(`customers/${uid}/credit_ledger`).get();
  return docs.map((entry) => entry.data());
};
const ownedBy = async (uid: string): Promise<unknown> =>
  (await firestore.doc(`customers/${uid}`).get()).data()?.creditsRemaining;

describe.each(Object.entries(WAYS))('%s', { concurrent: true }, (_, open) => {
  let way: Way;
  beforeAll(async () => {
    way = await open();
  });
  afterAll(() => way.close());

  it('knows whose ID token it is, and that another text is none', async () => {
    const { uid, idToken } = await signUp();
    expect(await way.billing.verifyUser(idToken)).toBe(uid);
    expect(await way.billing.verifyUser('no token')).toBeNull();
    expect(await way.billing.verifyUser(`${idToken.split('.')[0]}.e30.`)).toBeNull();
  });

  it('reads what can be spent', async () => {
    const uid = await aCreditHolder(7);
    expect(await way.billing.balance(uid)).toEqual({ balance: 7, allowance: 0 });
    expect(await way.billing.balance(`nobody-${crypto.randomUUID()}`)).toEqual({ balance: 0, allowance: 0 });
  });

  it('reads plan, entitlements and credits of an account, and nothing of nobody', async () => {
    const uid = await aCreditHolder(7);
    const plan = { paid: true, plan: PLAN.monthly, planKind: 'subscription', status: 'active' };
    const currentPeriodEnd = new Date(Date.now() + 86_400_000);
    await firestore.doc(`customers/${uid}`).update({ ...plan, currentPeriodEnd, cancelAtPeriodEnd: false });
    expect(await way.billing.account(uid)).toMatchObject({ uid, ...plan, state: 'active', balance: 7 });
    expect(await way.billing.entitlements(uid)).toEqual(['paid']);
    const nobody = `nobody-${crypto.randomUUID()}`;
    expect(await way.billing.account(nobody)).toMatchObject({ uid: nobody, state: 'free', balance: null });
    expect(await way.billing.entitlements(nobody)).toEqual([]);
  });

  it('takes what a feature costs once for each key, in the name of this backend', async () => {
    const uid = await aCreditHolder(7);
    const first = await way.billing.consume(uid, 'demo_deep', { key: 'job' });
    expect(first).toMatchObject({ ok: true, cost: 5, balance: 2, replayed: false });
    expect(await way.billing.consume(uid, 'demo_deep', { key: 'job' })).toEqual({ ...first, replayed: true });
    expect(await ledgerOf(uid)).toMatchObject([{ kind: 'consume', cost: 5, by: way.by }]);
    expect(await ownedBy(uid)).toBe(2);
  });

  it('refuses with a value: no credits, no plan, a key of something else', async () => {
    const uid = await aCreditHolder(3);
    expect(await way.billing.consume(uid, 'demo_deep')).toMatchObject({
      ...{ ok: false, reason: 'credits_exhausted', balance: 3, allowance: 0 },
      detail: expect.stringContaining('top up'),
    });
    expect(await way.billing.hold(uid, 'walled')).toMatchObject({ ok: false, reason: 'plan_required' });
    await way.billing.consume(uid, 'demo', { key: 'job' });
    expect(await way.billing.consume(uid, 'demo_deep', { key: 'job' })).toMatchObject({
      reason: 'idempotency_key_reused',
    });
  });

  it('throws where the backend is wrong', async () => {
    const uid = await aCreditHolder(3);
    const wrong = way.billing.consume(uid, 'no_such_feature');
    await expect(wrong).rejects.toMatchObject({ name: 'BillingError', code: 'unknown_feature', status: 400 });
  });

  it('holds, and takes or lets go, once each', async () => {
    const uid = await aCreditHolder(12);
    const taken = await way.billing.hold(uid, 'demo_deep', { key: 'taken' });
    const freed = await way.billing.hold(uid, 'demo_deep', { key: 'freed' });
    if (!taken.ok || !freed.ok) return expect.fail('not held');
    expect(taken).toMatchObject({ reservation: 'taken', cost: 5, expiresAt: expect.any(Number) });
    expect(await way.billing.balance(uid)).toMatchObject({ balance: 2 });
    expect(await taken.confirm()).toMatchObject({ ok: true, cost: 5, shortfall: 0, replayed: false });
    expect(await taken.confirm()).toMatchObject({ ok: true, cost: 5, replayed: true });
    expect(await freed.release()).toMatchObject({ ok: true, cost: 0 });
    expect(await freed.confirm()).toMatchObject({ ok: false, reason: 'reservation_released' });
    expect(await taken.release()).toMatchObject({ ok: false, reason: 'reservation_confirmed' });
    expect(await way.billing.confirm(uid, 'never')).toMatchObject({ reason: 'unknown_reservation' });
    expect(await ownedBy(uid)).toBe(7);
  });

  it('takes what was measured of a hold, once, with a receipt, and frees the rest', async () => {
    const uid = await aCreditHolder(30);
    const hold = await way.billing.hold(uid, 'chat', { key: 'job' });
    if (!hold.ok) return expect.fail('not held');
    expect(hold.cost).toBe(20);
    const units = { input: 1200, output: 300 };
    const first = await hold.settle({ units, label: 'small-model' });
    expect(first).toMatchObject({ ok: true, cost: 3, shortfall: 0, balance: 27, replayed: false });
    expect(await hold.settle({ amount: 20 })).toEqual({ ...first, replayed: true });
    expect(await hold.release()).toMatchObject({ ok: false, reason: 'reservation_confirmed' });
    expect(await ledgerOf(uid)).toContainEqual(
      expect.objectContaining({ cost: 3, receipt: expect.objectContaining({ label: 'small-model' }) }),
    );
    expect(await ownedBy(uid)).toBe(27);
  });

  it('holds what a call of known size costs, and refuses to hold more than the feature may take', async () => {
    const uid = await aCreditHolder(30);
    expect(await way.billing.hold(uid, 'chat', { units: { output: 2000 } })).toMatchObject({ cost: 8 });
    expect(await way.billing.hold(uid, 'chat', { amount: 4 })).toMatchObject({ cost: 4, balance: 18 });
    expect(await way.billing.hold(uid, 'chat', { amount: 21 })).toMatchObject({
      reason: 'amount_above_hold',
    });
    const unknown = way.billing.hold(uid, 'chat', { units: { pictures: 1 } });
    await expect(unknown).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    const notHeld = way.billing.consume(uid, 'chat');
    await expect(notHeld).rejects.toMatchObject({ code: 'hold_required', status: 400 });
  });

  it('takes what the work says that it took', async () => {
    const uid = await aCreditHolder(30);
    const work = async () => ({ result: 'text', units: { output: 1000 }, label: 'small-model' });
    expect(await way.billing.withCredits(uid, 'chat', work)).toMatchObject({
      ...{ ok: true, result: 'text', charged: true, isAboveHold: false },
      settled: { cost: 4, balance: 26 },
    });
    const nothing = await way.billing.withCredits(uid, 'chat', () => ({ result: 'cached', amount: 0 }));
    expect(nothing).toMatchObject({ result: 'cached', charged: true, settled: { cost: 0, balance: 26 } });
    expect(await ownedBy(uid)).toBe(26);
  });

  it('takes beyond the hold what the overdraw allows, and all of the hold where the work took more', async () => {
    const uid = await aCreditHolder(30);
    const taking = (amount: number) =>
      way.billing.withCredits(uid, 'overdrawn', () => ({ result: null, amount }));
    expect(await taking(15)).toMatchObject({ isAboveHold: false, settled: { cost: 15, balance: 15 } });
    expect(await taking(16)).toMatchObject({ isAboveHold: true, charged: true, settled: { cost: 10 } });
    expect(await ownedBy(uid)).toBe(5);
  });

  it('gives credits once for each key, and takes back what is left of them', async () => {
    const { uid } = await signUp();
    const given = { credits: 50, reason: 'the import was broken' };
    const granted = await way.billing.grant(uid, given, { key: 'ticket-1' });
    if (!granted.ok) return expect.fail('not granted');
    expect(granted.account).toMatchObject({ uid, balance: 50 });
    expect(await way.billing.grant(uid, given, { key: 'ticket-1' })).toMatchObject({
      ...{ grant: granted.grant, replayed: true },
    });
    await way.billing.consume(uid, 'demo_deep');
    const revoked = await way.billing.revokeGrant(uid, granted.grant, 'given to the wrong account');
    expect(revoked).toMatchObject({ ok: true, account: { balance: 0 } });
    expect(await way.billing.revokeGrant(uid, `hand_${'0'.repeat(20)}`, 'a typo')).toMatchObject({
      reason: 'unknown_grant',
    });
    const until = Date.now() + 86_400_000;
    const wrong = way.billing.grant(uid, { entitlement: 'no_such', until, reason: 'a typo' });
    await expect(wrong).rejects.toMatchObject({ code: 'unknown_entitlement' });
  });

  it('ends a hold that another process made, by its name', async () => {
    const uid = await aCreditHolder(12);
    await way.billing.hold(uid, 'demo_deep', { key: 'job' });
    expect(await way.billing.confirm(uid, 'job')).toMatchObject({ ok: true, cost: 5 });
    await way.billing.hold(uid, 'demo_deep', { key: 'other' });
    expect(await way.billing.release(uid, 'other')).toMatchObject({ ok: true, cost: 0, balance: 7 });
    await way.billing.hold(uid, 'demo_deep', { key: 'third' });
    expect(await way.billing.settle(uid, 'third', { amount: 1 })).toMatchObject({ cost: 1, balance: 6 });
  });

  it('frees a hold that nobody ends, and says so to who comes late', async () => {
    const uid = await aCreditHolder(5);
    const hold = await way.billing.hold(uid, 'demo_deep', { expiresInSeconds: 1 });
    if (!hold.ok) return expect.fail('not held');
    const free = async () => expect(await way.billing.balance(uid)).toMatchObject({ balance: 5 });
    await vi.waitFor(free, { timeout: 5_000, interval: 100 });
    expect(await hold.confirm()).toMatchObject({ ok: false, reason: 'reservation_expired' });
  });

  it('lets one of fifty work at once on a balance for one', async () => {
    const uid = await aCreditHolder(5);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, () => way.billing.withCredits(uid, 'demo_deep', () => 'done')),
    );
    expect(outcomes.filter(({ ok }) => ok)).toMatchObject([{ result: 'done', charged: true }]);
    const refused = outcomes.filter((outcome) => !outcome.ok).map(({ reason }) => reason);
    expect(refused).toHaveLength(49);
    expect(new Set(refused)).toEqual(new Set(['credits_exhausted']));
    expect(await ownedBy(uid)).toBe(0);
  });

  it('does the work of a key once, for fifty concurrent calls of which one fails it', async () => {
    const uid = await aCreditHolder(5);
    const { promise: until, resolve: finish } = Promise.withResolvers<void>();
    let begun = 0;
    const job = async () => {
      begun += 1;
      if (begun > 1) throw new Error('a second try fails');
      await until;
      return 'done';
    };
    const calls = Array.from({ length: 50 }, () =>
      way.billing.withCredits(uid, 'demo_deep', job, { key: 'job-1' }).catch(() => null),
    );
    // The others are refused while the first one works.
    let refused = 0;
    for (const call of calls) void call.then(() => (++refused === 49 ? finish() : undefined));
    const outcomes = await Promise.all(calls);
    expect(begun).toBe(1);
    expect(outcomes.filter((outcome) => outcome?.ok)).toMatchObject([{ result: 'done', charged: true }]);
    expect(new Set(outcomes.flatMap((each) => (each?.ok === false ? [each.reason] : [])))).toEqual(
      new Set(['idempotency_key_reused']),
    );
    expect(await ownedBy(uid)).toBe(0);
  });

  it('charges for work whatever its label and units look like', async () => {
    const uid = await aCreditHolder(60);
    const charged = (measured: object) =>
      way.billing.withCredits(uid, 'chat', () => ({ result: '', ...measured }));
    expect(await charged({ amount: 1, label: 'x'.repeat(500) })).toMatchObject({ settled: { cost: 1 } });
    const all = { charged: true, isAboveHold: true };
    expect(await charged({ units: { input: 1e15 } })).toMatchObject(all);
    expect(await charged({ units: { no_such_unit: 1 } })).toMatchObject(all);
    expect(await ownedBy(uid)).toBeLessThanOrEqual(59 - 2 * 10);
  });

  it('charges nothing for work that throws', async () => {
    const uid = await aCreditHolder(5);
    const broken = way.billing.withCredits(uid, 'demo_deep', () => Promise.reject(new Error('no upstream')));
    await expect(broken).rejects.toThrow('no upstream');
    expect(await way.billing.balance(uid)).toMatchObject({ balance: 5 });
  });

  it('does no work for free under a key whose hold has ended', async () => {
    const uid = await aCreditHolder(30);
    const again = (key: string) => way.billing.withCredits(uid, 'chat', () => expect.fail('begun'), { key });
    const failed = way.billing.withCredits(uid, 'chat', () => Promise.reject(new Error('down')), {
      key: 'a',
    });
    await expect(failed).rejects.toThrow('down');
    await way.billing.withCredits(uid, 'chat', () => ({ result: 'text', amount: 3 }), { key: 'b' });
    expect(await again('a')).toMatchObject({ ok: false, reason: 'idempotency_key_reused' });
    expect(await again('b')).toMatchObject({ ok: false, reason: 'idempotency_key_reused' });
    expect(await way.billing.hold(uid, 'chat', { key: 'b' })).toMatchObject({
      replayed: true,
      hasEnded: true,
    });
    expect(await ownedBy(uid)).toBe(27);
  });

  it('charges once where answers are lost', async () => {
    const uid = await aCreditHolder(20);
    const billing = billingThrough(losing(1, way.door), way.billing.verifyUser, {});
    expect(await billing.consume(uid, 'demo_deep')).toMatchObject({ ok: true, cost: 5, replayed: true });
    let begun = 0;
    const work = () => ++begun;
    expect(await billing.withCredits(uid, 'demo_deep', work)).toMatchObject({
      ...{ result: 1, charged: true, settled: { cost: 5, replayed: true } },
    });
    expect(begun).toBe(1);
    const measured = await billing.withCredits(uid, 'demo_deep', () => ({ result: 'done', amount: 2 }));
    expect(measured).toMatchObject({ charged: true, settled: { cost: 2, replayed: true } });
    expect(await ownedBy(uid)).toBe(8);
  });

  it('holds nothing for a feature that takes none, and ends nothing', async () => {
    const uid = await aCreditHolder(5);
    expect(
      await way.billing.withCredits(uid, 'open', ({ cost, expiresAt }) => [cost, expiresAt]),
    ).toMatchObject({
      result: [0, null],
      settled: { ok: true, cost: 0, balance: 5 },
    });
    expect(await ledgerOf(uid)).toEqual([]);
  });
});
