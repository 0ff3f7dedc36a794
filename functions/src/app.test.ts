import { describe, expect, it } from 'vitest';
import { aConfig } from '../test/app/config.ts';
import { keptLog, serveApp } from '../test/app/serve-app.ts';
import type { AppDeps } from './deps.ts';

const EXTENSION = 'chrome-extension://keggfklddlhbjeolakknnaliambbpajm';

const ROUTES = [
  ['/billing/checkout', 'POST'],
  ['/billing/portal', 'POST'],
  ['/billing/prices', 'GET'],
  ['/billing/webhook', 'POST'],
  ['/credits/consume', 'POST'],
  ['/credits/reserve', 'POST'],
  ['/credits/confirm', 'POST'],
  ['/credits/release', 'POST'],
  ['/credits/balance', 'GET'],
  ['/credits/usage', 'GET'],
] as const;

async function codeOf(response: Response): Promise<unknown> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const body: unknown = await response.json();
  expect(body).toMatchObject({ status: response.status, detail: expect.any(String) });
  return body !== null && typeof body === 'object' && 'code' in body ? body.code : undefined;
}

describe('while billing is disabled', () => {
  const disabled = { config: aConfig({ disabled: true }) };
  const paths = ['/billing', '/billing/', '/billing/nowhere', ...ROUTES.map(([path]) => path)].filter(
    (path) => path.startsWith('/billing'),
  );

  it.each(paths)('every method of %s answers 501 before anything else is looked at', async (path) => {
    const base = await serveApp(disabled);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
      const response = await fetch(base + path, { method });
      expect(`${method} ${response.status}`).toBe(`${method} 501`);
      expect(response.headers.get('cache-control')).toBe('no-store');
      if (method !== 'HEAD') expect(await codeOf(response)).toBe('billing_disabled');
    }
  });

  it('a malformed, an oversized and an unsigned body get the same 501', async () => {
    const base = await serveApp(disabled);
    for (const body of ['{"x', 'x'.repeat(20_000)]) {
      const response = await fetch(`${base}/billing/webhook`, { method: 'POST', body });
      expect(await codeOf(response)).toBe('billing_disabled');
    }
  });

  it('credits still work', async () => {
    const base = await serveApp(disabled);
    expect((await fetch(`${base}/credits/balance`)).status).toBe(401);
  });
});

describe('any request', () => {
  it.each(ROUTES)('%s takes %s only, and says so', async (path, allowed) => {
    const base = await serveApp();
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter((m) => m !== allowed)) {
      const response = await fetch(base + path, { method });
      expect(`${method} ${response.status}`).toBe(`${method} 405`);
      expect(response.headers.get('allow')).toContain(allowed);
      expect(await codeOf(response)).toBe('method_not_allowed');
    }
  });

  it.each(['/', '/billing', '/billing/checkout/', '/Billing/checkout', '/billing/%63heckout/x', '/credits'])(
    '%s is nowhere',
    async (path) => {
      const base = await serveApp();
      const response = await fetch(base + path, { method: 'POST' });
      expect(response.status).toBe(404);
      expect(await codeOf(response)).toBe('not_found');
    },
  );

  it('is answered without a trace of the server, and for nobody to keep', async () => {
    const base = await serveApp();
    const { headers } = await fetch(`${base}/nowhere`);
    expect(headers.get('x-powered-by')).toBeNull();
    expect(headers.get('etag')).toBeNull();
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('that meets a fault gets a 500 that says nothing, and a log line that quotes nothing', async () => {
    const log = keptLog();
    const verifyIdToken = () => Promise.resolve({ uid: 'user-1', exp: 32_503_680_000 } as never);
    const auth = {
      verifyIdToken,
      getUser: () => Promise.resolve({ providerData: [{}] } as never),
      getUsers: () => Promise.resolve({ users: [], notFound: [] }),
      setCustomUserClaims: () => Promise.resolve(),
      deleteUser: () => Promise.resolve(),
    };
    const base = await serveApp({ log, auth });
    const response = await fetch(`${base}/billing/portal`, {
      method: 'POST',
      headers: { authorization: 'Bearer secret-token' },
    });
    expect(response.status).toBe(500);
    expect(await codeOf(response)).toBe('internal');
    expect(log.lines).toEqual([
      { severity: 'error', event: 'internal_error', fields: expect.objectContaining({ error: 'Error' }) },
    ]);
    expect(JSON.stringify(log.lines)).not.toContain('secret-token');
    expect(JSON.stringify(log.lines)).not.toContain('user-1');
  });
});

describe('while the database is away', () => {
  it.each([4, 8, 10, 14])('(gRPC %i) a request is answered with 503 and when to try again', async (code) => {
    const verifyIdToken = async () => ({ uid: 'user-1', exp: 32_503_680_000 });
    const outage = () => Promise.reject(Object.assign(new Error('away'), { code }));
    const base = await serveApp({
      auth: { verifyIdToken } as unknown as AppDeps['auth'],
      firestore: { doc: () => ({}), getAll: outage } as unknown as AppDeps['firestore'],
    });
    const response = await fetch(`${base}/billing/portal`, {
      method: 'POST',
      headers: { authorization: 'Bearer some.id.token' },
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await codeOf(response)).toBe('temporarily_unavailable');
  });
});

describe('pages of another origin', () => {
  const preflight = (origin: string) => ({
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

  it('the configured extension may read every answer, errors too', async () => {
    const base = await serveApp();
    const asked = await fetch(`${base}/credits/consume`, preflight(EXTENSION));
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(EXTENSION);
    expect(asked.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('idempotency-key');
    const answered = await fetch(`${base}/credits/balance`, { headers: { origin: EXTENSION } });
    expect(answered.status).toBe(401);
    expect(answered.headers.get('access-control-allow-origin')).toBe(EXTENSION);
    expect(answered.headers.get('vary')).toContain('Origin');
  });

  it('a configured web app may, and what only begins like it may not', async () => {
    const base = await serveApp({ config: aConfig({ webOrigins: ['https://app.example'] }) });
    const allowed = async (origin: string) =>
      (await fetch(`${base}/credits/consume`, preflight(origin))).headers.get('access-control-allow-origin');
    expect(await allowed('https://app.example')).toBe('https://app.example');
    expect(await allowed('https://app.example.org')).toBeNull();
    expect(await allowed('http://app.example')).toBeNull();
  });

  it.each([
    'https://example.com',
    `chrome-extension://${'a'.repeat(32)}`,
    'null',
    `${EXTENSION}.example.com`,
  ])('%s may not', async (origin) => {
    const base = await serveApp();
    const asked = await fetch(`${base}/credits/consume`, preflight(origin));
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    const answered = await fetch(`${base}/credits/balance`, { headers: { origin } });
    expect(answered.headers.get('access-control-allow-origin')).toBeNull();
  });
});
