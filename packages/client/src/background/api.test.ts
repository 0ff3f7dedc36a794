import { expect, it } from 'vitest';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import { type ApiAnswer, type ApiRequest, createApi } from './api.ts';
import type { TokenAnswer } from './auth-session.ts';
import { createCarriedVersion } from './carried-version.ts';

const CONSUME: ApiRequest = {
  uid: 'ada',
  path: '/credits/consume',
  body: { feature: 'demo' },
  idempotencyKey: 'key-1',
  timeoutMs: 50,
};

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: unknown;
}

function apiThat(
  answer: (sent: Sent) => Response | Promise<Response>,
  token?: (renew: boolean, uid: string) => TokenAnswer,
  pageOrigin?: string,
) {
  const { area } = fakeStorage({}, 'session');
  const sent: Sent[] = [];
  const warnings: string[] = [];
  const verdicts: [string, boolean][] = [];
  const api = createApi({
    baseUrl: 'https://api.example/api',
    pageOrigin,
    warn: (text) => warnings.push(text),
    judged: (uid, accepted) => verdicts.push([uid, accepted]),
    version: createCarriedVersion(area),
    token: async (uid, renew) =>
      token?.(renew, uid) ?? { kind: 'token', token: renew ? 'renewed' : 'stored' },
    fetch: async (url, init) => {
      const request = {
        url: String(url),
        headers: new Headers(init?.headers),
        body: init?.body === undefined ? undefined : JSON.parse(String(init.body)),
      };
      sent.push(request);
      const silence = new Promise<never>((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
      return Promise.race([answer(request), silence]);
    },
  });
  return { api, sent, warnings, verdicts, area };
}
const json = (status: number, body: object, headers = {}): Response =>
  Response.json(body, { status, headers });
const statusOf = (answer: ApiAnswer<unknown>) =>
  answer.kind === 'problem' ? answer.problem.status : answer.kind;

it('tells an origin that the service does not let in from a connection that is not there', async () => {
  const failed = () => Promise.reject(new TypeError('Failed to fetch'));
  const asPage = (answer: (sent: Sent) => Response | Promise<Response>) =>
    apiThat(answer, undefined, 'https://app.example');
  // As browsers do: only a request without CORS gets through, and it has no Authorization header.
  const refused = asPage(({ headers }) => (headers.has('authorization') ? failed() : new Response()));
  expect(statusOf(await refused.api.post(CONSUME))).toBe(503);
  expect(refused.warnings).toEqual([expect.stringMatching(/https:\/\/app\.example.*BILLING_WEB_ORIGINS/)]);
  const offline = asPage(failed);
  expect(await offline.api.post(CONSUME)).toEqual({ kind: 'unreachable' });
  expect(offline.warnings).toEqual([]);

  let isThere = true;
  const lost = asPage(({ headers }) =>
    isThere || !headers.has('authorization') ? json(200, { ok: true }) : failed(),
  );
  await lost.api.post(CONSUME);
  isThere = false;
  expect(await lost.api.post(CONSUME)).toEqual({ kind: 'unreachable' });
});

it('sends the ID token and the idempotency key', async () => {
  const { api, sent } = apiThat(() => json(200, { ok: true }));
  expect(await api.post(CONSUME)).toEqual({ kind: 'answered', body: { ok: true } });
  expect(sent[0]?.url).toBe('https://api.example/api/credits/consume');
  expect(sent[0]?.headers.get('authorization')).toBe('Bearer stored');
  expect(sent[0]?.headers.get('idempotency-key')).toBe('key-1');
  expect(sent[0]?.body).toEqual({ feature: 'demo' });
});

it('sends back what the last answer of credits brought for this user, also after the worker died', async () => {
  let answers = 0;
  const { api, sent, area } = apiThat(() => {
    answers += 1;
    return json(200, { ok: true }, { 'Billing-Version': `version-${answers}` });
  });
  await api.post(CONSUME);
  await api.post(CONSUME);
  await api.post({ ...CONSUME, uid: 'bob' });
  await api.post({ ...CONSUME, uid: 'bob', path: '/billing/portal' });
  const carried = sent.map(({ headers }) => headers.get('billing-version'));
  expect(carried).toEqual([null, 'version-1', null, null]);
  const later = createCarriedVersion(area);
  expect([await later.of('bob'), await later.of('ada')]).toEqual(['version-4', null]);
});

it('asks without a version where the storage hangs or holds something else', async () => {
  const hanging = createCarriedVersion({
    get: () => new Promise(() => {}),
    set: async () => {},
    remove: async () => {},
  });
  expect(await hanging.of('ada')).toBeNull();
  const { area } = fakeStorage({ billingVersion: { uid: 'ada', version: 7 } });
  expect(await createCarriedVersion(area).of('ada')).toBeNull();
});

it('asks with a GET, without a body', async () => {
  const { api, sent } = apiThat(() => json(200, { entries: [] }));
  expect(await api.get({ uid: 'ada', path: '/credits/usage?from=2026-11-01', timeoutMs: 50 })).toEqual({
    kind: 'answered',
    body: { entries: [] },
  });
  expect(sent[0]?.url).toBe('https://api.example/api/credits/usage?from=2026-11-01');
  expect([sent[0]?.body, sent[0]?.headers.get('authorization')]).toEqual([undefined, 'Bearer stored']);
});

it('renews the token once after a 401 and sends the same request again', async () => {
  const { api, sent } = apiThat(({ headers }) =>
    headers.get('authorization') === 'Bearer renewed' ? json(200, { ok: true }) : json(401, {}),
  );
  expect((await api.post(CONSUME)).kind).toBe('answered');
  expect(sent.map(({ headers }) => headers.get('idempotency-key'))).toEqual(['key-1', 'key-1']);
});

it('is signed out when the renewed token is refused too', async () => {
  const { api, sent, verdicts } = apiThat(() => json(401, {}));
  expect(await api.post(CONSUME)).toEqual({ kind: 'signed_out' });
  expect(sent).toHaveLength(2);
  expect(verdicts).toEqual([['ada', false]]);
});

it('says that a token was taken by whatever the service then says of the request, also at the second attempt', async () => {
  for (const [first, second, verdict] of [
    [402, null, [['ada', true]]],
    [401, 200, [['ada', true]]],
    [401, 402, [['ada', true]]],
    [503, null, []],
    [401, 503, []],
  ] as const) {
    const statuses = [first, second];
    const { api, verdicts } = apiThat(() => json(statuses.shift() ?? 500, {}));
    await api.post(CONSUME);
    expect(verdicts, `${first}, then ${second}`).toEqual(verdict);
  }
});

it.each([
  ['signed_out', 'signed_out'],
  ['account_changed', 'account_changed'],
  ['unreachable', 'unreachable'],
  ['unavailable', 503],
] as const)('sends nothing without a token (%s)', async (kind, expected) => {
  const { api, sent } = apiThat(
    () => json(200, {}),
    () => ({ kind }),
  );
  expect(statusOf(await api.post(CONSUME))).toBe(expected);
  expect(sent).toEqual([]);
});

it('hands on a problem with its code, and how long to wait', async () => {
  const body = {
    type: 'about:blank',
    title: 'Slow down',
    status: 429,
    code: 'too_many_requests',
    detail: 'Wait.',
  };
  const { api, verdicts } = apiThat(() => json(429, body, { 'retry-after': '2' }));
  expect(await api.post(CONSUME)).toEqual({ kind: 'problem', problem: body, retryAfterMs: 2_000 });
  expect(verdicts, 'refused before the token was looked at').toEqual([]);
});

it.each([
  ['a proxy’s page', () => new Response('<h1>Bad gateway</h1>', { status: 502 }), 502],
  ['JSON that is no problem', () => json(500, { oops: 1 }), 500],
  ['success without a body', () => new Response('', { status: 200 }), 502],
])('makes a problem of %s', async (_what, response, status) => {
  const { api } = apiThat(response);
  expect(statusOf(await api.post(CONSUME))).toBe(status);
});

it('is unreachable when there is no connection', async () => {
  const { api } = apiThat(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(await api.post(CONSUME)).toEqual({ kind: 'unreachable' });
});

it('is unreachable when the connection breaks in the middle of the answer', async () => {
  const broken = new ReadableStream({
    start: (controller) => controller.error(new TypeError('network error')),
  });
  const { api } = apiThat(() => new Response(broken, { status: 200 }));
  expect(await api.post(CONSUME)).toEqual({ kind: 'unreachable' });
});

it('times out when the server says nothing', async () => {
  const { api } = apiThat(() => new Promise(() => {}));
  expect(await api.post(CONSUME)).toEqual({ kind: 'timeout' });
});

it('names each request, and both attempts of one alike', async () => {
  const { api, sent } = apiThat((request) =>
    request.headers.get('authorization') === 'Bearer stored' ? json(401, {}) : json(200, { ok: true }),
  );
  await api.post(CONSUME);
  await api.post({ ...CONSUME, correlationId: 'name-of-a-spend' });
  await api.get({ uid: 'ada', path: '/credits/usage', timeoutMs: 50 });
  const names = sent.map(({ headers }) => headers.get('x-correlation-id'));
  expect(names).toHaveLength(6);
  const [spend, again, named, namedAgain, usage, usageAgain] = names;
  expect([again, named, namedAgain, usageAgain]).toEqual([
    spend,
    'name-of-a-spend',
    'name-of-a-spend',
    usage,
  ]);
  expect(spend).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(names).size).toBe(3);
});

it('tells whoever looks into the console what to search the log for, and nothing of a refusal', async () => {
  const answers = [json(503, { code: 'temporarily_unavailable', detail: 'later' }), json(402, {})];
  const { api, warnings } = apiThat(() => answers.shift() ?? json(500, {}));
  await api.post({ ...CONSUME, correlationId: 'name-of-a-spend' });
  await api.post(CONSUME);
  expect(warnings).toEqual(['/credits/consume was answered 503; its correlation id is name-of-a-spend']);
});

it('asks for the token of the user for whom it asks, for each attempt', async () => {
  const asked: string[] = [];
  const { api, sent } = apiThat(
    () => json(401, {}),
    (renew, uid) => {
      asked.push(uid);
      return renew ? { kind: 'account_changed' } : { kind: 'token', token: 'adas' };
    },
  );
  expect(await api.post(CONSUME)).toEqual({ kind: 'account_changed' });
  expect(asked).toEqual(['ada', 'ada']);
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer adas']);
});
