import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { costOf } from '@extension-billing/contract/features';
import { expect } from 'vitest';
import { catalogJson } from '../../packages/cli/src/init/templates/catalog.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { type ExtensionBrowser, waitForSnapshot } from '../browser.ts';
import { openedTab, payCheckout } from '../hosted-pages.ts';
import { withSuiteAddresses } from '../new-extension.ts';
import { pageOf } from './load.ts';

export interface Ran {
  readonly status: number;
  readonly out: string;
}

const BILLING = fileURLToPath(new URL('../../packages/cli/src/billing.ts', import.meta.url));

/** `npx billing init`, with a packed client, for a folder that is no part of this repository. */
export function runInit(folder: string, tarball: string, ...words: readonly string[]): Promise<Ran> {
  const { NODE_ENV: _, ...env } = process.env;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [BILLING, 'init', folder, '--client', tarball, ...words],
      { env },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
        resolve({ status, out: `${stdout}${stderr}` });
      },
    );
  });
}

/**
 * Runs init as people would who change their minds: a second run changes nothing, an undo brings every byte back, and
 * then it is run to stay.
 *
 * @returns what the last run printed
 */
export async function initUndoInit(folder: string, tarball: string): Promise<Ran> {
  const before = filesOf(folder);
  const first = await runInit(folder, tarball, '--yes');
  expect([0, 3], first.out).toContain(first.status);
  const after = filesOf(folder);
  expect(after).not.toEqual(before);
  const second = await runInit(folder, tarball, '--yes');
  expect(second).toEqual({ status: first.status, out: expect.stringContaining('nothing to change') });
  expect(filesOf(folder)).toEqual(after);
  const undone = await runInit(folder, tarball, '--undo');
  expect(undone.status, undone.out).toBe(0);
  expect(filesOf(folder)).toEqual(before);
  return runInit(folder, tarball, '--yes');
}

/** Every file of a folder that is not installed or built, by the hash of its bytes. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !/^(?:node_modules|dist|build|\.git|\.output|\.wxt|\.plasmo)\//.test(path));
  const hash = (path: string): string =>
    createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  return Object.fromEntries(paths.toSorted().map((path) => [path, hash(path)]));
}

const first: { plans: object; packs: object } = JSON.parse(catalogJson());
const [FIRST_PLAN = ''] = Object.keys(first.plans);
const [FIRST_PACK = ''] = Object.keys(first.packs);

/** What the running suite sells and where it listens, in the place of what init wrote. */
export function useSuite(folder: string): void {
  for (const path of Object.keys(filesOf(folder))) {
    if (!/\.(?:[cm]?[jt]sx?|json|html|vue|svelte)$/.test(path) || path === 'package-lock.json') continue;
    const text = readFileSync(join(folder, path), 'utf8');
    const changed = withSuiteAddresses(text, process.env)
      .replaceAll(FIRST_PLAN, sold.monthly.lookupKey)
      .replaceAll(FIRST_PACK, sold.smallPack.lookupKey)
      .replaceAll(/(["']?)\bdemo\b\1(?=: \{\s*["']?cost)/g, `$1${sold.feature}$1`)
      .replaceAll('feature="demo"', `feature="${sold.feature}"`);
    if (changed !== text) writeFileSync(join(folder, path), changed);
  }
}

/** What is bought and spent for: the suite's own catalogue, unless the extension brought one. */
const OF_THE_SUITE = {
  get pack() {
    return sold.smallPack.lookupKey;
  },
  get credits() {
    return sold.smallPack.credits;
  },
  get feature() {
    return sold.feature;
  },
  get cost() {
    return costOf(catalog, sold.feature) ?? 0;
  },
};

/** On billing's page: an account, a pack at the hosted checkout, and a credit spent by its button. */
export async function spendACredit(
  browser: ExtensionBrowser,
  path = 'billing/page.html',
  { pack, credits, feature, cost } = OF_THE_SUITE,
): Promise<void> {
  const page = await pageOf(browser, path);
  const at = (id: string) => page.getByTestId(id);
  await at('sign-in-email').waitFor();
  const { width = 0 } = (await at('sign-in-email').boundingBox()) ?? {};
  expect(width, 'a page that has shrunk to a column of letters').toBeGreaterThan(200);
  await at('sign-in-email').fill(`${randomUUID()}@example.test`);
  await at('sign-in-password').fill(randomUUID());
  await at('sign-up-submit').click();
  await waitForSnapshot(page, ({ uid }) => uid !== null);
  const buy = at(`buy-${pack}`).first();
  await payCheckout(await openedTab(browser.context, () => buy.click()));
  await waitForSnapshot(page, (snapshot) => snapshot.credits?.balance === credits);
  await at(`run-${feature}`).click();
  await waitForSnapshot(page, (snapshot) => snapshot.credits?.balance === credits - cost);
  await page.close();
}
