import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startChromium } from '../../../e2e/start-chromium.ts';

/** A request with a body that the served pages made. */
export type Posted = { path: string; type: string; body: string };

/** What is served under a path: a document as text, anything else as JSON, an Error as a refusal (404 or 400). */
type Served = Map<string, unknown>;

/** Serves fixtures on a free port of this machine and remembers what was posted. */
async function servePages(served: Served) {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const answer = served.get(path);
    if (request.method === 'POST') {
      posted.push({ path, type: request.headers['content-type'] ?? '', body: await text(request) });
    }
    if (answer instanceof Error || (answer === undefined && request.method === 'GET')) {
      const refusal = answer instanceof Error ? answer.message : `Unknown path ${path}`;
      response.writeHead(answer === undefined ? 404 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: refusal } }));
    } else if (request.method === 'POST') {
      // No content: the browser stays where it is, so no navigation runs into the next step of a test.
      response.writeHead(204).end();
    } else if (typeof answer === 'string') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posted,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page, what is served to it, and what it posted: emptied before each test. */
type OnScreen = { page: Page; served: Served; posted: Posted[] };

/** Opens one browser for a test file; starting one for each test would cost more than the tests. */
export function usePagesOnScreen(answers: () => Iterable<[string, unknown]>): OnScreen {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof servePages>>;
  const screen = { served: new Map<string, unknown>() } as OnScreen;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startChromium(), servePages(screen.served)]);
    screen.page = await browser.newPage({ baseURL: server.url, reducedMotion: 'reduce' });
    screen.posted = server.posted;
  });
  beforeEach(async () => {
    await screen.page.goto('about:blank');
    screen.posted.length = 0;
    screen.served.clear();
    for (const [path, answer] of answers()) screen.served.set(path, answer);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
  });
  return screen;
}
