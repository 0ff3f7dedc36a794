import { UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { consumed, ended, fakeService, held, KEY, problem } from '../test/fake-service.ts';
import { BillingError } from './billing-error.ts';
import { createBilling } from './exports/http.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The outcome of a call whose pauses and deadlines pass at once; what it throws is its outcome too. */
async function inTime<Value>(call: Promise<Value>): Promise<Value | BillingError> {
  const outcome = call.catch((error: unknown) => {
    if (error instanceof BillingError) return error;
    throw error;
  });
  await vi.advanceTimersByTimeAsync(120_000);
  return outcome;
}

describe('a request', () => {
  it('names the user, the key of the backend and the idempotency key', async () => {
    const { asked, billing } = fakeService(consumed);
    expect(await billing().consume('ada', 'demo', { key: 'job-1' })).toEqual(consumed);
    const [{ url, method, headers, body, redirect } = expect.fail('nothing was asked')] = asked;
    expect([method, url, body, redirect]).toEqual([
      'POST',
      'https://billing.test/api/credits/consume',
      { feature: 'demo' },
      'manual',
    ]);
    expect(headers.get('Authorization')).toBe(`Bearer ${KEY}`);
    expect(headers.get('Billing-User')).toBe('ada');
    expect(headers.get('Idempotency-Key')).toBe('job-1');
  });

  it('carries what the last answer of credits for this user brought, and nothing of another’s', async () => {
    const bringing = (version: string) =>
      Response.json(consumed, { headers: { 'Billing-Version': version } });
    const { asked, billing } = fakeService(bringing('one'), bringing('two'), consumed);
    const charging = billing();
    for (const uid of ['ada', 'ada', 'bob', 'ada']) await charging.consume(uid, 'demo');
    const sent = asked.map(({ headers }) => headers.get('Billing-Version'));
    expect(sent).toEqual([null, 'one', null, 'two']);
  });

  it('asks for the token of a service account anew a minute before it ends, and no sooner', async () => {
    const { asked, billing } = fakeService(consumed);
    const made: string[] = [];
    const idToken = async () => {
      const exp = Math.floor(Date.now() / 1000) + 3_600;
      const token = new UnsecuredJWT({ exp, jti: String(made.length) }).encode();
      made.push(token);
      return token;
    };
    const charging = billing({ key: undefined, idToken } as never);
    const minutes = [0, 58, 60];
    for (const [index, minute] of minutes.entries()) {
      await vi.advanceTimersByTimeAsync((minute - (minutes[index - 1] ?? 0)) * 60_000);
      await charging.consume('ada', 'demo');
    }
    expect(made).toHaveLength(2);
    expect(asked.map(({ headers }) => headers.get('Authorization'))).toEqual(
      [0, 0, 1].map((token) => `Bearer ${made[token]}`),
    );
  });

  it('asks for a token at every attempt where its end cannot be read', async () => {
    const { asked, billing } = fakeService('lost', consumed);
    let made = 0;
    const idToken = () => Promise.resolve(`token-${++made}`);
    await inTime(billing({ key: undefined, idToken } as never).consume('ada', 'demo'));
    const sent = asked.map(({ headers }) => headers.get('Authorization'));
    expect(sent).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('says so where the token of a service account could not be had', async () => {
    const { asked, billing } = fakeService(consumed);
    const idToken = () => Promise.reject(new Error('no metadata server'));
    const error = await inTime(billing({ key: undefined, idToken } as never).consume('ada', 'demo'));
    expect(error).toMatchObject({ code: 'not_configured', message: expect.stringContaining('"idToken"') });
    expect(asked).toEqual([]);
  });

  it('makes a key of its own where none is given, a new one for each spend', async () => {
    const { asked, billing } = fakeService(consumed);
    await billing().consume('ada', 'demo');
    await billing().consume('ada', 'demo');
    const keys = asked.map(({ headers }) => headers.get('Idempotency-Key'));
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => /^[A-Za-z0-9_-]{1,128}$/.test(key ?? ''))).toBe(true);
  });
});

it.each(['', 'a/b', 'with space', 'zwölf', 'two\nlines', 'x'.repeat(129)])(
  'asks nothing for a uid or key like %j',
  async (odd) => {
    const { asked, billing } = fakeService(consumed);
    expect(await inTime(billing().balance(odd))).toMatchObject({ code: 'user_required' });
    const error = await inTime(billing().consume('ada', 'demo', { key: odd }));
    expect(error).toMatchObject({ code: 'idempotency_key_required' });
    expect(asked).toEqual([]);
  },
);

describe('asks again, with the same key and the same name', () => {
  it.each([
    ['a lost answer', 'lost'],
    ['an answer that does not come', 'never'],
    ['a 503', problem('temporarily_unavailable', 503, {}, { 'Retry-After': '1' })],
    ['a 500', problem('internal', 500)],
    ['a 429', problem('too_many_requests', 429, {}, { 'Retry-After': '1' })],
    ["the platform's own 503", new Response('<html>no instance</html>', { status: 503 })],
  ] as const)('after %s', async (_, scene) => {
    const { asked, billing } = fakeService(scene, scene, consumed);
    expect(await inTime(billing({ withinMs: 60_000 }).consume('ada', 'demo', { key: 'one' }))).toEqual(
      consumed,
    );
    expect(asked.map(({ headers }) => headers.get('Idempotency-Key'))).toEqual(['one', 'one', 'one']);
    expect(new Set(asked.map(({ headers }) => headers.get('X-Correlation-Id'))).size).toBe(1);
  });

  it('no sooner than Retry-After says', async () => {
    const { asked, billing } = fakeService(
      problem('too_many_requests', 429, {}, { 'Retry-After': '7' }),
      consumed,
    );
    const call = billing().consume('ada', 'demo');
    await vi.advanceTimersByTimeAsync(6_900);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await call).toEqual(consumed);
  });

  it('until its time is over: then it says that the same request is safe', async () => {
    const { asked, billing } = fakeService('lost');
    const error = await inTime(billing({ withinMs: 5_000 }).consume('ada', 'demo'));
    expect(error).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('safe to send again'),
    });
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.length).toBeLessThan(30);
  });

  it('not where Retry-After is beyond its time: a value, with the seconds', async () => {
    const { asked, billing } = fakeService(problem('too_many_requests', 429, {}, { 'Retry-After': '60' }));
    expect(await billing().consume('ada', 'demo')).toEqual({
      ok: false,
      reason: 'too_many_requests',
      detail: 'So it is.',
      retryAfterSeconds: 60,
    });
    expect(asked).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it('is a value, asked for once', async () => {
    const fields = { balance: 3, allowance: 1, replayed: false };
    const { asked, billing } = fakeService(problem('credits_exhausted', 402, fields));
    expect(await billing().consume('ada', 'demo')).toEqual({
      ok: false,
      reason: 'credits_exhausted',
      detail: 'So it is.',
      balance: 3,
      allowance: 1,
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['unauthenticated', 401, 'billing keys create'],
    ['caller_not_allowed', 403, '--scope'],
    ['unknown_feature', 400, 'catalog push'],
    ['not_found', 404, 'address of the billing function'],
  ])('that is a fault of the caller is thrown, with what to do: %s', async (code, status, advice) => {
    const { asked, billing } = fakeService(problem(code, status));
    const error = await inTime(billing().hold('ada', 'demo'));
    expect(error).toMatchObject({ code, status, message: expect.stringContaining(advice) });
    expect(asked).toHaveLength(1);
  });

  it('of a read is thrown: there is none that a user brings about', async () => {
    const { billing } = fakeService(problem('too_many_requests', 429, {}, { 'Retry-After': '60' }));
    expect(await inTime(billing().balance('ada'))).toMatchObject({ code: 'too_many_requests', status: 429 });
  });
});

describe('a fault or a "too many" after an answer that was lost', () => {
  it.each([
    problem('unauthenticated', 401),
    problem('too_many_requests', 429, {}, { 'Retry-After': '60' }),
    problem('temporarily_unavailable', 503, {}, { 'Retry-After': '60' }),
    new Response('<html>hello</html>'),
  ])('says that the spend may have been made', async (scene) => {
    const error = await inTime(fakeService('lost', scene).billing().consume('ada', 'demo'));
    expect(error).toMatchObject({ name: 'BillingError', isOutcomeUnknown: true });
  });

  it('is not what a refusal of this very key is: that is the answer', async () => {
    const { billing } = fakeService('lost', problem('credits_exhausted', 402, { balance: 0, allowance: 0 }));
    expect(await inTime(billing().consume('ada', 'demo'))).toMatchObject({ reason: 'credits_exhausted' });
  });

  it('and without one it says that nothing was done', async () => {
    const error = await inTime(fakeService(problem('unauthenticated', 401)).billing().consume('ada', 'demo'));
    expect(error).toMatchObject({ code: 'unauthenticated', isOutcomeUnknown: false });
  });
});

describe('what is not the service', () => {
  it.each([
    ['a page', new Response('<html>hello</html>')],
    ['a page that was not found', new Response('<html>no</html>', { status: 404 })],
    ['JSON of something else', { hello: 'world' }],
    ['a redirect', new Response(null, { status: 302, headers: { location: 'https://elsewhere.test' } })],
  ])('is named as such, and not asked again: %s', async (_, scene) => {
    const { asked, billing } = fakeService(scene);
    const error = await inTime(billing().balance('ada'));
    expect(error).toMatchObject({ code: 'unexpected_answer', message: expect.stringContaining('"url"') });
    expect(asked).toHaveLength(1);
  });

  it('never makes an error that holds the key', async () => {
    for (const scene of [
      'lost',
      problem('unauthenticated', 401),
      new Response('?', { status: 404 }),
    ] as const) {
      const error = (await inTime(fakeService(scene).billing().balance('ada'))) as BillingError;
      expect(error).toBeInstanceOf(BillingError);
      expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(KEY);
    }
  });
});

describe('createBilling', () => {
  const refused = (options: object) => () =>
    createBilling({ url: 'https://b.test', key: KEY, ...options } as never);
  it.each([
    ['an address that is none', { url: 'billing' }, '"url"'],
    [
      'http to another machine, which would show the key to all on the way',
      { url: 'http://b.test' },
      'https',
    ],
    ['an empty key', { key: '' }, '"key"'],
    ['unsigned tokens beside a deployed service', { authEmulator: true }, '"authEmulator"'],
  ])('refuses %s', (_, options, named) => {
    expect(refused(options)).toThrow(BillingError);
    expect(refused(options)).toThrow(named);
  });

  it('takes http on this machine', () => {
    expect(refused({ url: 'http://127.0.0.1:5001/p/r/api' })).not.toThrow();
  });
});

describe('withCredits', () => {
  it('holds, works, takes what was held, and gives the result', async () => {
    const { asked, billing } = fakeService(held, ended);
    const done = await billing().withCredits('ada', 'demo', ({ cost }) => `for ${cost}`, { key: 'job' });
    expect(done).toEqual({ ok: true, result: 'for 5', charged: true, isAboveHold: false, settled: ended });
    expect(asked.map(({ url, body }) => [url.split('/').pop(), body])).toEqual([
      ['reserve', { feature: 'demo', attempt: expect.any(String) }],
      ['confirm', { reservation: 'job' }],
    ]);
  });

  it('names its try: the same when an answer was lost, another one in each call', async () => {
    const { asked, billing } = fakeService('lost', held, ended);
    await inTime(billing().withCredits('ada', 'demo', () => 1, { key: 'job' }));
    await inTime(billing().withCredits('ada', 'demo', () => 1, { key: 'job' }));
    const tries = asked.filter(({ url }) => url.endsWith('/reserve')).map(({ body }) => JSON.stringify(body));
    expect(tries).toHaveLength(3);
    expect(tries[0]).toBe(tries[1]);
    expect(tries[2]).not.toBe(tries[1]);
  });

  it.each([
    [
      'a label that is too long',
      { amount: 1, label: 'x'.repeat(121) },
      { amount: 1, label: 'x'.repeat(120) },
    ],
    ['half an emoji', { amount: 1, label: `${'x'.repeat(119)}😀` }, { amount: 1, label: 'x'.repeat(119) }],
    ['a label of lines', { amount: 1, label: 'a\nb\ud83d' }, { amount: 1, label: 'ab' }],
    ['units beyond counting', { units: { ns: 1e13 } }, { units: { ns: 1e12 } }],
  ])('charges for work with %s, also without withCredits', async (_, measured, sent) => {
    const { asked, billing } = fakeService(held, ended, ended);
    const done = billing().withCredits('ada', 'demo', () => ({ result: 'text', ...measured }));
    expect(await done).toMatchObject({ result: 'text', charged: true });
    expect(asked.at(-1)?.body).toEqual({ reservation: 'job', ...sent });
    expect(await billing().settle('ada', 'job', measured)).toMatchObject({ ok: true });
    expect(asked.at(-1)?.body).toEqual({ reservation: 'job', ...sent });
  });

  it.each([
    [{ result: 'text', amount: 3 }, 'text', 'settle', { amount: 3 }],
    [{ result: 'text', units: { a: 1 }, label: 'm' }, 'text', 'settle', { units: { a: 1 }, label: 'm' }],
    [{ result: 'text' }, { result: 'text' }, 'confirm', {}],
    [{ result: 'text', amount: 3, mine: true }, { result: 'text', amount: 3, mine: true }, 'confirm', {}],
    [null, null, 'confirm', {}],
  ])('of work that returns %j gives %j, and ends with %s', async (returned, result, route, body) => {
    const { asked, billing } = fakeService(held, ended);
    const done = await billing().withCredits<unknown>('ada', 'demo', () => returned);
    expect(done).toMatchObject({ ok: true, result });
    expect(asked.at(-1)?.url).toContain(`/credits/${route}`);
    expect(asked.at(-1)?.body).toEqual({ reservation: 'job', ...body });
  });

  it('takes all of the hold where the work took more than may be taken', async () => {
    const { asked, billing } = fakeService(held, problem('amount_above_hold', 409), ended);
    const done = await billing().withCredits('ada', 'demo', () => ({ result: 'text', amount: 6 }));
    expect(done).toMatchObject({ result: 'text', charged: true, isAboveHold: true, settled: { cost: 5 } });
    expect(asked.map(({ url }) => url.split('/').pop())).toEqual(['reserve', 'settle', 'confirm']);
  });

  it('says to the service that a unit was not counted, instead of leaving it out', async () => {
    const { asked, billing } = fakeService(held, ended, held);
    const units = { input: undefined, output: Number.NaN } as unknown as Record<string, number>;
    await billing().withCredits('ada', 'demo', () => ({ result: 'text', units }));
    expect(asked.at(-1)?.body).toEqual({ reservation: 'job', units: { input: null, output: null } });
    await billing().hold('ada', 'demo', { units });
    expect(asked.at(-1)?.body).toEqual({ feature: 'demo', units: { input: null, output: null } });
  });

  it('takes all of the hold where the service takes no such amount', async () => {
    const { asked, billing } = fakeService(held, problem('invalid_request', 400), ended);
    const done = await billing().withCredits('ada', 'demo', () => ({ result: 'text', amount: 0.5 }));
    expect(done).toMatchObject({ result: 'text', charged: true, isAboveHold: true });
    expect(asked.map(({ url }) => url.split('/').pop())).toEqual(['reserve', 'settle', 'confirm']);
  });

  it('gives the result also with a settle that is refused as a fault', async () => {
    const { billing } = fakeService(held, problem('unauthenticated', 401));
    const broken = billing().withCredits('ada', 'demo', () => ({ result: 'text', amount: 1 }));
    expect(await inTime(broken)).toMatchObject({
      ...{ code: 'unauthenticated', reservation: 'job', result: 'text' },
      message: expect.stringContaining('were not taken'),
    });
  });

  it('does not work where nothing could be held', async () => {
    const { billing } = fakeService(problem('credits_exhausted', 402, { balance: 0, allowance: 0 }));
    const work = vi.fn();
    expect(await billing().withCredits('ada', 'demo', work)).toMatchObject({ reason: 'credits_exhausted' });
    expect(work).not.toHaveBeenCalled();
  });

  it('lets the hold go when the work throws, and throws the very same', async () => {
    const { asked, billing } = fakeService(held, ended);
    const broken = new Error('upstream is down');
    const call = billing().withCredits('ada', 'demo', () => Promise.reject(broken));
    await expect(call).rejects.toBe(broken);
    expect(asked.at(-1)?.url).toContain('/credits/release');
  });

  it('throws what the work threw even where the hold cannot be let go', async () => {
    const { billing } = fakeService(held, 'lost');
    const broken = new Error('upstream is down');
    const call = billing().withCredits('ada', 'demo', () => Promise.reject(broken));
    call.catch(() => {});
    // Nobody waits for a minute to hear of it.
    await vi.advanceTimersByTimeAsync(6_000);
    await expect(call).rejects.toBe(broken);
  });

  it('repeats a settle whose answers are lost', async () => {
    const { asked, billing } = fakeService(held, 'lost', 'lost', ended);
    expect(await inTime(billing().withCredits('ada', 'demo', () => 1))).toMatchObject({ charged: true });
    expect(asked).toHaveLength(4);
  });

  it('says that the work was not charged where the hold had expired', async () => {
    const { billing } = fakeService(held, problem('reservation_expired', 409));
    expect(await billing().withCredits('ada', 'demo', () => 'text')).toMatchObject({
      ok: true,
      result: 'text',
      charged: false,
      settled: { ok: false, reason: 'reservation_expired' },
    });
  });

  it.each([['lost'], [problem('temporarily_unavailable', 503)], [problem('internal', 500)]] as const)(
    'names the reservation and keeps the result where it stays unknown whether it was charged',
    async (scene) => {
      const { billing } = fakeService(held, scene);
      expect(await inTime(billing().withCredits('ada', 'demo', () => 'text'))).toMatchObject({
        ...{ code: 'outcome_unknown', isOutcomeUnknown: true, reservation: 'job', result: 'text' },
        message: expect.stringContaining('frees itself'),
      });
    },
  );

  it('ends nothing where nothing had to be held', async () => {
    const free = { ...held, cost: 0, expiresAt: null, balance: null, allowance: null, packCredits: null };
    const { asked, billing } = fakeService(free);
    expect(await billing().withCredits('ada', 'demo', () => 1)).toMatchObject({
      charged: true,
      settled: { ok: true, cost: 0, balance: null },
    });
    expect(asked).toHaveLength(1);
  });
});
