import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { ExhaustedProblem, Problem } from '@extension-billing/contract/problems';
import { expect, it } from 'vitest';
import { aRecord, aSnapshot, someCredits } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import { type Api, type ApiAnswer, type ApiRequest, createApi } from './api.ts';
import { createConsume } from './consume.ts';

type Answer = ApiAnswer<ConsumeResponse>;

function granted(fields: Partial<ConsumeResponse> = {}): Answer {
  const body: ConsumeResponse = {
    ok: true,
    balance: 999,
    allowance: 999,
    packCredits: 0,
    cost: 1,
    replayed: false,
    updatedAt: 1_500,
    ...fields,
  };
  return { kind: 'answered', body };
}
function problem(status: number, code: Problem['code'], retryAfterMs: number | null = null): Answer {
  return {
    kind: 'problem',
    retryAfterMs,
    problem: { type: 'about:blank', title: code, status, code, detail: 'Try again.' },
  };
}
function exhausted(fields: Partial<ExhaustedProblem> = {}): Answer {
  const refusal: ExhaustedProblem = {
    type: 'about:blank',
    title: 'Exhausted',
    status: 402,
    code: 'credits_exhausted',
    detail: 'Top up.',
    balance: 0,
    allowance: 0,
    replayed: false,
    ...fields,
  };
  return { kind: 'problem', problem: refusal, retryAfterMs: null };
}

interface Setting {
  /** The server's answers in turn; the last one repeats. */
  answers: Answer[];
  uid?: string | null;
  online?: boolean;
  apiIsLocal?: boolean;
  stored?: EntitlementSnapshot;
  api?: Pick<Api, 'post'>;
}

async function worker(setting: Setting) {
  let clock = 2_000;
  const requests: ApiRequest[] = [];
  const waits: number[] = [];
  const uid = setting.uid === undefined ? 'ada' : setting.uid;
  const local = fakeStorage({ entitlements: setting.stored ?? aSnapshot() });
  const writer = createSnapshotWriter(local.area, () => clock);
  if (uid !== null) await writer.begin(uid);
  const api: Pick<Api, 'post'> = {
    async post<Body>(request: ApiRequest) {
      requests.push(request);
      const answer = setting.answers[Math.min(requests.length, setting.answers.length) - 1];
      return answer as ApiAnswer<Body>;
    },
  };
  const consume = createConsume({
    api: setting.api ?? api,
    uid: async () => uid,
    online: () => setting.online ?? true,
    apiIsLocal: setting.apiIsLocal ?? false,
    newKey: () => crypto.randomUUID(),
    snapshot: writer,
    now: () => clock,
    wait: async (ms) => {
      waits.push(ms);
      clock += ms;
    },
  });
  return {
    consume,
    writer,
    waits,
    keys: () => requests.map(({ idempotencyKey }) => idempotencyKey),
    names: () => requests.map(({ correlationId }) => correlationId),
    paths: () => requests.map(({ path }) => path),
    credits: () => (local.peek('entitlements') as EntitlementSnapshot).credits,
  };
}

it('spends, answers the fresh balance and mirrors it into the snapshot', async () => {
  const { consume, credits, paths } = await worker({ answers: [granted({ balance: 999, allowance: 999 })] });
  expect(await consume({ feature: 'demo' })).toEqual({ ok: true, balance: 999, allowance: 999 });
  expect(credits()).toEqual(someCredits(999));
  expect(paths()).toEqual(['/credits/consume']);
});

it('gives every consume without a request id a key of its own', async () => {
  const { consume, keys } = await worker({ answers: [granted()] });
  await consume({ feature: 'demo' });
  await Promise.all([consume({ feature: 'demo' }), consume({ feature: 'demo' })]);
  expect(new Set(keys()).size).toBe(3);
});

it('runs free for an account without credits', async () => {
  const free = granted({ balance: null, allowance: null, packCredits: null, cost: 0, updatedAt: null });
  const { consume, credits } = await worker({ answers: [free], stored: aSnapshot({ credits: null }) });
  expect(await consume({ feature: 'demo' })).toEqual({ ok: true, balance: null, allowance: null });
  expect(credits()).toBeNull();
});

it('is denied when exhausted, and corrects a snapshot that had missed it', async () => {
  const { consume, credits } = await worker({ answers: [exhausted()] });
  expect(await consume({ feature: 'demo' })).toEqual({
    ok: false,
    balance: 0,
    allowance: 0,
    reason: 'exhausted',
  });
  expect(credits()?.balance).toBe(0);
});

it('tells a refusal that is replayed, and keeps the balance that is newer than it', async () => {
  const stored = aSnapshot({ credits: someCredits(500) });
  const { consume, credits } = await worker({ answers: [exhausted({ replayed: true })], stored });
  expect(await consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'exhausted' });
  expect(credits()).toEqual(someCredits(500));
});

it('is denied at once when offline: nothing is sent and nothing is queued', async () => {
  const { consume, keys, waits } = await worker({ answers: [granted()], online: false });
  expect(await consume({ feature: 'demo' })).toEqual({
    ok: false,
    balance: 1_000,
    allowance: 1_000,
    reason: 'offline',
  });
  expect([keys(), waits]).toEqual([[], []]);
});

it('asks a server on this machine without a network, and takes one refusal for an answer', async () => {
  const setting = { online: false, apiIsLocal: true };
  const there = await worker({ ...setting, answers: [granted()] });
  expect((await there.consume({ feature: 'demo' })).ok).toBe(true);
  const away = await worker({ ...setting, answers: [{ kind: 'unreachable' }] });
  expect(await away.consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'offline' });
  expect(away.keys()).toHaveLength(1);
});

it('is denied when signed out, and sends nothing', async () => {
  const { consume, keys } = await worker({ answers: [granted()], uid: null });
  expect(await consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'signed_out' });
  expect(keys()).toEqual([]);
});

it('never spends for whoever signs in while it asks again: the user who asked is told', async () => {
  const signedIn = { uid: 'ada' };
  const sent: (string | null)[] = [];
  const { consume, writer } = await worker({
    answers: [],
    stored: aSnapshot({ credits: someCredits(10) }),
    api: createApi({
      baseUrl: 'https://api.example',
      token: async (uid) =>
        uid === signedIn.uid ? { kind: 'token', token: `${uid}s` } : { kind: 'account_changed' },
      fetch: async (_url, init) => {
        sent.push(new Headers(init?.headers).get('authorization'));
        if (sent.length === 3) {
          signedIn.uid = 'grace';
          await writer.begin('grace');
          await writer.record('grace', aRecord({ creditsRemaining: 10, creditsAllowance: 10 }));
        }
        return Response.json({}, { status: 503 });
      },
    }),
  });
  expect(await consume({ feature: 'demo' })).toEqual({
    ok: false,
    balance: null,
    allowance: null,
    reason: 'account_changed',
  });
  expect(sent).toEqual(['Bearer adas', 'Bearer adas', 'Bearer adas']);
});

it('is denied as signed out when the session cannot be renewed', async () => {
  const { consume } = await worker({ answers: [{ kind: 'signed_out' }] });
  expect(await consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'signed_out' });
});

it('says so when the server does not know the feature', async () => {
  const { consume, keys } = await worker({ answers: [problem(400, 'unknown_feature')] });
  expect(await consume({ feature: 'typo' })).toMatchObject({ ok: false, reason: 'unknown_feature' });
  const walled = await worker({ answers: [problem(403, 'plan_required')] });
  expect(await walled.consume({ feature: 'report' })).toMatchObject({ ok: false, reason: 'plan_required' });
  expect(keys()).toHaveLength(1);
});

it.each([
  ['a lost answer', { kind: 'unreachable' } as Answer],
  ['an answer that does not come', { kind: 'timeout' } as Answer],
  ['a 503', problem(503, 'temporarily_unavailable')],
  ['a 429', problem(429, 'too_many_requests')],
])('asks again under the same key and name after %s', async (_what, first) => {
  const { consume, keys, names } = await worker({ answers: [first, granted()] });
  expect((await consume({ feature: 'demo' })).ok).toBe(true);
  expect(keys()).toHaveLength(2);
  expect(new Set(keys()).size).toBe(1);
  const [name, nameAgain] = names();
  expect(name).toMatch(/^[0-9a-f-]{36}$/);
  expect(nameAgain).toBe(name);
});

it('waits as long as the server asks', async () => {
  const { consume, waits } = await worker({ answers: [problem(429, 'too_many_requests', 3_000), granted()] });
  await consume({ feature: 'demo' });
  expect(waits).toEqual([3_000]);
});

it('gives up within a bounded time', async () => {
  const refused = await worker({ answers: [{ kind: 'unreachable' }] });
  expect(await refused.consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'offline' });
  expect(refused.waits.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(2_000);

  const busy = await worker({ answers: [problem(503, 'temporarily_unavailable', 60_000)] });
  expect(await busy.consume({ feature: 'demo' })).toMatchObject({ ok: false, reason: 'unavailable' });
  expect(busy.waits).toEqual([]);
});

it('uses the request id as the key, of every attempt and of every worker', async () => {
  const request = { feature: 'demo', requestId: 'press-1' };
  const lost = await worker({ answers: [{ kind: 'unreachable' }] });
  expect((await lost.consume(request)).ok).toBe(false);
  expect(new Set(lost.keys())).toEqual(new Set(['press-1']));
  const next = await worker({ answers: [granted({ replayed: true })] });
  expect((await next.consume(request)).ok).toBe(true);
  expect(next.keys()).toEqual(['press-1']);
});

it.each(['', 'a b', 'x'.repeat(129)])('rejects %j, which is no key, and sends nothing', async (requestId) => {
  const { consume, keys } = await worker({ answers: [granted()] });
  await expect(consume({ feature: 'demo', requestId })).rejects.toThrow('requestId must match');
  expect(keys()).toEqual([]);
});

it('gives no press the key of another one whose answer was lost', async () => {
  const { consume, keys } = await worker({ answers: [{ kind: 'unreachable' }] });
  await consume({ feature: 'demo', requestId: 'press-1' });
  await consume({ feature: 'demo', requestId: 'press-2' });
  await consume({ feature: 'demo' });
  const [first, second, third, ...more] = new Set(keys());
  expect([first, second, more]).toEqual(['press-1', 'press-2', []]);
  expect(third).toMatch(/^[\w-]{1,128}$/);
});

it('shows the balance of today when an old answer is replayed', async () => {
  const stored = aSnapshot({ updatedAt: 9_000, credits: someCredits(500) });
  const { consume, credits } = await worker({
    answers: [granted({ replayed: true, updatedAt: 1_500 })],
    stored,
  });
  expect(await consume({ feature: 'demo' })).toEqual({ ok: true, balance: 500, allowance: 500 });
  expect(credits()?.balance).toBe(500);
});

it('answers what the server did though nothing can be stored: charged is never told as failed', async () => {
  const full = () => Promise.reject(new Error('Resource::kQuotaBytes quota exceeded'));
  const disk = fakeStorage({ entitlements: aSnapshot() });
  const local = { ...disk.area, set: full } as unknown as chrome.storage.StorageArea;
  const writer = createSnapshotWriter(local, () => 2_000);
  await writer.begin('ada');
  const consume = createConsume({
    api: { post: async <Body>() => granted({ balance: 999, allowance: 999 }) as ApiAnswer<Body> },
    uid: async () => 'ada',
    online: () => true,
    apiIsLocal: false,
    newKey: () => 'key',
    snapshot: writer,
    now: () => 2_000,
    wait: async () => {},
  });
  expect(await consume({ feature: 'demo' })).toEqual({ ok: true, balance: 999, allowance: 999 });
  expect((await writer.current())?.credits?.balance).toBe(999);
});
