import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { API_PAGE, apiPage } from './return-pages.ts';
import { serve } from './serve.fixture.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function servePage(billing = 'http://127.0.0.1:1/project/api'): Promise<string> {
  const page = apiPage({ root, billing, authEmulator: 'http://127.0.0.1:2' });
  return serve((request, response) => {
    if (!page(request, response)) response.writeHead(418).end();
  });
}

test('the page, its document and all that it loads come from this machine', async () => {
  const base = await servePage();
  const html = await (await fetch(base + API_PAGE)).text();
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, to = '']) => to)
    .filter((to) => to !== 'data:,');
  expect(loaded).toContain('swagger-ui-bundle.js');
  for (const name of [...loaded, 'openapi.json', 'settings.json']) {
    const answer = await fetch(`${base}${API_PAGE}${name}`);
    expect([name, answer.status]).toEqual([name, 200]);
    expect(answer.headers.get('content-security-policy')).toContain("connect-src 'self' http://127.0.0.1:2;");
  }
});

test('the document on the page names this suite for its server', async () => {
  const base = await servePage();
  const { openapi, servers } = (await (await fetch(`${base}${API_PAGE}openapi.json`)).json()) as {
    readonly openapi: string;
    readonly servers: readonly { readonly url: string }[];
  };
  expect(openapi).toMatch(/^3\.1/);
  expect(servers.map(({ url }) => url)).toEqual(['/api/try']);
});

test('what is tried goes to the function as it is, and its answer comes back as it is', async () => {
  const seen: unknown[] = [];
  const upstream = await serve(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { authorization, origin } = request.headers;
    seen.push([request.method, request.url, authorization, origin, Buffer.concat(chunks).toString()]);
    response.writeHead(402, { 'content-type': 'application/problem+json', 'retry-after': '3' }).end('{}');
  });
  const base = await servePage(`${upstream}/project/api`);
  const answer = await fetch(`${base}${API_PAGE}try/credits/usage?limit=5`, {
    method: 'POST',
    headers: { authorization: 'Bearer of-ann', origin: base },
    body: '{"feature":"demo"}',
  });
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([402, '3', '{}']);
  const sent = ['POST', '/project/api/credits/usage?limit=5', 'Bearer of-ann', undefined];
  expect(seen).toEqual([[...sent, '{"feature":"demo"}']]);
});

test('a function that does not answer is a 502', async () => {
  const answer = await fetch(`${await servePage()}${API_PAGE}try/credits/balance`);
  expect(answer.status).toBe(502);
});

test.each(['nowhere.html', '..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', 'page.ts'])(
  'nothing else is served: %s',
  async (name) => {
    const answer = await fetch(`${await servePage()}${API_PAGE}${name}`);
    expect([404, 418]).toContain(answer.status);
  },
);

test('other paths are left to the return pages', async () => {
  expect((await fetch(`${await servePage()}/billing/success.html`)).status).toBe(418);
});
