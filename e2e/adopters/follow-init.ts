import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packClient, runNpm } from '../new-extension.ts';
import { initUndoInit, spendACredit, useSuite } from './init.ts';
import { expectOwnPopup, loadBuilt } from './load.ts';
import { FRAMEWORKS, type Framework, type Project } from './project.ts';

/** Tries one tool with every framework: from a project as its documents describe it to a spent credit. */
export function describeTool(tool: string, project: (framework: Framework) => Project): void {
  let folder: string;
  let tarball: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), `billing-${tool}-`));
    tarball = await packClient(folder);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(FRAMEWORKS)(`${tool} with %s`, (framework) => {
    const { make, built, popup } = project(framework);
    let extension: string;
    beforeAll(async () => {
      extension = join(folder, framework, 'my-extension');
      await make(extension);
    });
    // Some of these bring half a gigabyte.
    afterAll(() => rm(join(folder, framework), { recursive: true, force: true }));

    it('works before billing comes', async () => {
      await runNpm(extension, ['run', 'build']);
      const browser = await loadBuilt(join(extension, built));
      try {
        await expectOwnPopup(browser, popup);
      } finally {
        await browser.close();
      }
    });

    it('sells and spends after init, and does what it did', async () => {
      expect(await initUndoInit(extension, tarball)).toMatchObject({ status: 0 });
      useSuite(extension);
      await runNpm(extension, ['run', 'build']);
      const dist = join(extension, built);
      const { options_ui } = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8'));
      const browser = await loadBuilt(dist);
      try {
        await expectOwnPopup(browser, popup);
        await spendACredit(browser, options_ui.page);
      } finally {
        await browser.close();
      }
    });
  });
}
