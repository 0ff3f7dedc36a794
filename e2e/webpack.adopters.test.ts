// npx vitest run --project adopters e2e/webpack: the templates of chrome-extension-cli, installed from the registry.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initUndoInit, spendACredit, useSuite } from './adopters/init.ts';
import { loadBuilt, pageOf } from './adopters/load.ts';
import { LANGUAGES, makeWebpack, TEMPLATES } from './adopters/webpack-projects.ts';
import { sendMessage } from './browser.ts';
import { packClient, runNpm } from './new-extension.ts';

let folder: string;
let tarball: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-webpack-'));
  tarball = await packClient(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CASES = Object.keys(TEMPLATES).flatMap((template) =>
  LANGUAGES.map((language) => [template as keyof typeof TEMPLATES, language] as const),
);

describe.each(CASES)('the template “%s” in %s', (template, language) => {
  it('sells and spends after init, and its worker answers as before', async () => {
    const extension = join(folder, `my-${template}-${language}`.replace(' ', '-'));
    await makeWebpack(extension, template, language);
    expect(await initUndoInit(extension, tarball)).toMatchObject({ status: 0 });
    useSuite(extension);
    await runNpm(extension, ['install', '--prefer-offline', '--no-audit']);
    await runNpm(extension, ['run', 'build']);
    const browser = await loadBuilt(join(extension, 'build'));
    try {
      const own = await pageOf(browser, TEMPLATES[template].page);
      const greeting = { type: 'GREETINGS', payload: { message: 'Hello' } };
      expect(await sendMessage(own, greeting)).toEqual({
        message: expect.stringContaining('my name is Bac'),
      });
      await spendACredit(browser);
    } finally {
      await browser.close();
    }
  });
});
