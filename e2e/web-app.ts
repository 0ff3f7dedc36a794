import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { copyExample, installClient, runProgram, useSuiteAddresses } from './new-extension.ts';

/** Where the local service expects a web app. Nothing listens there: the browser is given the files. */
export const WEB_ORIGIN = 'http://127.0.0.1:5173';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};

/** Builds the example beside the packed client, for the running suite. @returns the folder with its pages */
export async function buildWebApp(folder: string, tarball: string): Promise<string> {
  copyExample('web-app', folder);
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const peers = ['vite', 'react', 'react-dom', 'scheduler', '@vitejs/plugin-react'];
  await installClient(folder, tarball, peers);
  useSuiteAddresses(join(folder, 'src'), process.env);
  await runProgram(folder, 'vite', 'build', '--logLevel', 'warn');
  return join(folder, 'dist');
}

/** Serves a built web app at its origin, in this browser alone. */
export async function serveWebApp(
  context: BrowserContext,
  dist: string,
  origin: string = WEB_ORIGIN,
): Promise<void> {
  // A page that comes from no network may otherwise not ask the suite on this machine.
  await context.grantPermissions(['local-network-access'], { origin });
  await context.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = join(dist, pathname === '/' ? 'index.html' : pathname);
    try {
      await route.fulfill({ body: await readFile(file), contentType: TYPES[extname(file)] ?? 'text/plain' });
    } catch {
      await route.fulfill({ status: 404, body: '' });
    }
  });
}

export interface WebTab {
  readonly page: Page;
}

/** @param first runs in the page before any of its scripts */
export async function openWebTab(
  context: BrowserContext,
  first: () => void = () => {},
  origin: string = WEB_ORIGIN,
): Promise<WebTab> {
  const page = await context.newPage();
  await page.addInitScript(first);
  await page.goto(`${origin}/`);
  return { page };
}
