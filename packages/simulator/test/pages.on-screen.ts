import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startChromium } from '../../../e2e/start-chromium.ts';
import { type Posted, type Served, servePages } from './pages.serve.ts';

/** A page, what is served to it, and what it posted: emptied before each test. */
export type OnScreen = { page: Page; served: Served; posted: Posted[] };

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
