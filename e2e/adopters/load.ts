import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { parseJson } from '../../packages/cli/src/init/edits/json.ts';
import { type ExtensionBrowser, launchExtension } from '../browser.ts';

/** The suite lets one extension in, the one with this key: what is built gets it, the project does not. */
const KEY = JSON.parse(
  await readFile(new URL('../../examples/summarise/public/manifest.json', import.meta.url), 'utf8'),
).key as string;

/** Starts Chromium with a built extension, as the one that the suite lets in. */
export async function loadBuilt(dist: string): Promise<ExtensionBrowser> {
  const file = join(dist, 'manifest.json');
  const manifest = parseJson(await readFile(file, 'utf8'));
  if (typeof manifest !== 'object') throw new Error(`${file} is no manifest.`);
  await writeFile(file, JSON.stringify({ ...manifest, key: KEY }));
  return launchExtension({ dist });
}

export async function pageOf(browser: ExtensionBrowser, path: string): Promise<Page> {
  const page = await browser.context.newPage();
  await page.goto(`chrome-extension://${browser.extensionId}/${path}`);
  return page;
}

/** The extension's own popup does what it did before billing came: a button counts its clicks. */
export async function expectOwnPopup(browser: ExtensionBrowser, path: string): Promise<void> {
  const page = await pageOf(browser, path);
  const button = page.getByRole('button', { name: /\b0\b/ });
  await button.click();
  await page.getByRole('button', { name: /\b1\b/ }).waitFor();
  expect(page.url()).toContain(path);
  await page.close();
}
