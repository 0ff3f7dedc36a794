// npx vitest run --project adopters e2e/plain: extensions without a bundler.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initUndoInit, spendACredit, useSuite } from './adopters/init.ts';
import { expectOwnPopup, loadBuilt } from './adopters/load.ts';
import { makePlain, PLAIN } from './adopters/plain-projects.ts';
import { packClient } from './new-extension.ts';

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-plain-'));
  tarball = await packClient(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(Object.entries(PLAIN))('an extension with %s', (name, background) => {
  it('sells and spends after init, and does what it did', async () => {
    const extension = join(folder, name);
    await makePlain(extension, background);
    expect(await initUndoInit(extension, tarball)).toMatchObject({ status: 0 });
    useSuite(extension);
    const browser = await loadBuilt(extension);
    try {
      await expectOwnPopup(browser, 'popup.html');
      await spendACredit(browser);
    } finally {
      await browser.close();
    }
  });
});
