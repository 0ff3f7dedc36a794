import type { ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import type { ErrorCode } from '@extension-billing/contract/problems';
import { expect, it } from 'vitest';
import { aSnapshot } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import type { Api, ApiAnswer, ApiRequest } from './api.ts';
import { createReservations } from './reservations.ts';

const held: ReserveResponse = {
  ok: true,
  reservation: 'job',
  balance: 995,
  allowance: 995,
  packCredits: 0,
  cost: 5,
  expiresAt: 902_000,
  replayed: false,
  updatedAt: 1_500,
};
const settled: SettleResponse = {
  ok: true,
  balance: 990,
  allowance: 990,
  packCredits: 0,
  cost: 5,
  shortfall: 0,
  replayed: false,
  updatedAt: 1_600,
};
type Answer = ApiAnswer<ReserveResponse | SettleResponse>;
const answered = (body: ReserveResponse | SettleResponse): Answer => ({ kind: 'answered', body });
const problem = (status: number, code: ErrorCode, extra: object = {}): Answer => ({
  kind: 'problem',
  retryAfterMs: null,
  problem: { type: 'about:blank', title: code, status, code, detail: '', ...extra },
});

async function worker(
  answers: Answer[],
  { uid = 'ada' as string | null, online = true, apiIsLocal = false } = {},
) {
  let clock = 2_000;
  const requests: ApiRequest[] = [];
  const local = fakeStorage({ entitlements: aSnapshot() });
  const snapshot = createSnapshotWriter(local.area, () => clock);
  if (uid !== null) await snapshot.begin(uid);
  const api: Pick<Api, 'post'> = {
    async post<Body>(request: ApiRequest) {
      requests.push(request);
      return answers[Math.min(requests.length, answers.length) - 1] as ApiAnswer<Body>;
    },
  };
  const reservations = createReservations({
    api,
    uid: async () => uid,
    online: () => online,
    apiIsLocal,
    snapshot,
    now: () => clock,
    wait: async (ms) => {
      clock += ms;
    },
    newKey: () => 'a-new-key',
  });
  return {
    ...reservations,
    requests,
    balance: () => (local.peek('entitlements') as EntitlementSnapshot).credits?.balance,
  };
}

it('holds under the page’s name for the request, and mirrors what can still be spent', async () => {
  const { reserve, requests, balance } = await worker([answered(held)]);
  expect(await reserve({ feature: 'demo_deep', expiresInSeconds: 60, requestId: 'job' })).toEqual({
    ok: true,
    reservation: 'job',
    expiresAt: 902_000,
    balance: 995,
    allowance: 995,
  });
  expect(requests).toEqual([
    {
      uid: 'ada',
      path: '/credits/reserve',
      body: { feature: 'demo_deep', expiresInSeconds: 60 },
      idempotencyKey: 'job',
      correlationId: expect.any(String),
      timeoutMs: expect.any(Number),
    },
  ]);
  expect(balance()).toBe(995);
});

it('makes a key of its own where the page names none', async () => {
  const { reserve, requests } = await worker([answered(held)]);
  await reserve({ feature: 'demo' });
  expect(requests[0]).toMatchObject({ idempotencyKey: 'a-new-key', body: { feature: 'demo' } });
});

it('says that there is nothing to settle where nothing is held', async () => {
  const free = {
    ...held,
    balance: null,
    allowance: null,
    packCredits: null,
    expiresAt: null,
    updatedAt: null,
  };
  const { reserve } = await worker([answered(free)]);
  expect(await reserve({ feature: 'demo', requestId: 'job' })).toEqual({
    ok: true,
    reservation: null,
    expiresAt: null,
    balance: null,
    allowance: null,
  });
});

it('confirms and releases by the reservation alone, and mirrors the balance', async () => {
  const { confirm, release, requests, balance } = await worker([answered(settled)]);
  expect(await confirm({ reservation: 'job' })).toEqual({ ok: true, balance: 990, allowance: 990 });
  expect(balance()).toBe(990);
  await release({ reservation: 'other' });
  expect(requests.map(({ path, body }) => [path, body])).toEqual([
    ['/credits/confirm', { reservation: 'job' }],
    ['/credits/release', { reservation: 'other' }],
  ]);
});

it.each<[string, Answer]>([
  ['a lost answer', { kind: 'unreachable' }],
  ['an answer that does not come', { kind: 'timeout' }],
  ['a 503', problem(503, 'temporarily_unavailable')],
])('asks again in the same words after %s', async (_what, first) => {
  const reserving = await worker([first, answered(held)]);
  expect((await reserving.reserve({ feature: 'demo', requestId: 'job' })).ok).toBe(true);
  expect(reserving.requests[1]).toEqual(reserving.requests[0]);
  const confirming = await worker([first, answered(settled)]);
  expect((await confirming.confirm({ reservation: 'job' })).ok).toBe(true);
  expect(confirming.requests[1]).toEqual(confirming.requests[0]);
});

it('is denied at once when offline or signed out: nothing is sent', async () => {
  for (const [setting, reason] of [
    [{ online: false }, 'offline'],
    [{ uid: null }, 'signed_out'],
  ] as const) {
    const { reserve, confirm, release, requests } = await worker([answered(held)], setting);
    const balance = reason === 'offline' ? 1_000 : null;
    expect(await reserve({ feature: 'demo' })).toMatchObject({ ok: false, reason, balance });
    expect(await confirm({ reservation: 'job' })).toMatchObject({ ok: false, reason });
    expect(await release({ reservation: 'job' })).toMatchObject({ ok: false, reason });
    expect(requests).toEqual([]);
  }
});

it('tells the user who asked that another signed in, and nothing of that one', async () => {
  const { reserve, confirm, release, requests } = await worker([{ kind: 'account_changed' }]);
  const answers = [
    await reserve({ feature: 'demo' }),
    await confirm({ reservation: 'job' }),
    await release({ reservation: 'job' }),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ ok: false, reason: 'account_changed' });
  expect(requests.map(({ uid }) => uid)).toEqual(['ada', 'ada', 'ada']);
});

it('is refused when exhausted, and corrects a snapshot that had missed it', async () => {
  const exhausted = problem(402, 'credits_exhausted', { balance: 2, allowance: 2, replayed: false });
  const { reserve, balance } = await worker([exhausted]);
  expect(await reserve({ feature: 'demo_deep' })).toEqual({
    ok: false,
    balance: 2,
    allowance: 2,
    reason: 'exhausted',
  });
  expect(balance()).toBe(2);
});

it.each([
  [409, 'reservation_expired'],
  [409, 'reservation_released'],
  [404, 'unknown_reservation'],
] as const)('tells how a reservation had ended (%i %s)', async (status, code) => {
  const { confirm } = await worker([problem(status, code)]);
  expect(await confirm({ reservation: 'job' })).toMatchObject({ ok: false, reason: code, balance: 1_000 });
});

it.each([
  [409, 'too_many_reservations', 'too_many_reservations'],
  [400, 'unknown_feature', 'unknown_feature'],
  [403, 'plan_required', 'plan_required'],
  [422, 'idempotency_key_reused', 'unavailable'],
] as const)('tells why nothing is held (%i %s)', async (status, code, reason) => {
  const { reserve } = await worker([problem(status, code)]);
  expect(await reserve({ feature: 'demo' })).toMatchObject({ ok: false, reason });
});
