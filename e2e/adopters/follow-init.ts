import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { runNpm } from '../new-extension.ts';
import { expectOwnPopup, loadBuilt } from './load.ts';
import { FRAMEWORKS, type Framework, type Project } from './project.ts';

/** Tries one tool with every framework: from a project as its documents describe it to a spent credit. */
export function describeTool(tool: string, project: (framework: Framework) => Project): void {
  describe.each(FRAMEWORKS)(`${tool} with %s`, (framework) => {
    const { make, built, popup } = project(framework);
    let folder: string;
    let extension: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), `billing-${tool}-`));
      extension = join(folder, 'my-extension');
      await make(extension);
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('works before billing comes', async () => {
      await runNpm(extension, ['run', 'build']);
      const browser = await loadBuilt(join(extension, built));
      try {
        await expectOwnPopup(browser, popup);
      } finally {
        await browser.close();
      }
    });
  });
}
