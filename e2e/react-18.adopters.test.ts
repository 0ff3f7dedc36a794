// npx vitest run --project adopters e2e/react-18: the guide's own extension with the React of before, from the registry.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { spendACredit } from './adopters/init.ts';
import { writeFiles } from './adopters/project.ts';
import { launchExtension } from './browser.ts';
import {
  fileBlocks,
  runGuideLines,
  shellBlocks,
  useSuiteAddresses,
  useSuiteCatalog,
} from './new-extension.ts';

const [, BY_HAND = ''] = readFileSync(new URL('../docs/add-billing.md', import.meta.url), 'utf8').split(
  '\n# By hand\n',
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-react-18-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('compiles, sells and spends on React 18', async () => {
  const [install = '', build = ''] = shellBlocks(BY_HAND);
  const older = install.replaceAll(/\b((?:@types\/)?react(?:-dom)?)@19/g, '$1@18');
  expect(older).toMatch(/ react@18 react-dom@18/);
  await runGuideLines(older, { YOUR_FOLDER: folder });
  await writeFiles(folder, Object.fromEntries(fileBlocks(BY_HAND)));
  for (const part of ['src', 'public']) useSuiteAddresses(join(folder, part), process.env);
  useSuiteCatalog(join(folder, 'src'));
  await runGuideLines(`cd "$YOUR_FOLDER"\n${build}`, { YOUR_FOLDER: folder });
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/react/package.json'), 'utf8'));
  expect(version).toMatch(/^18\./);
  const browser = await launchExtension({ dist: join(folder, 'dist') });
  try {
    await spendACredit(browser, 'popup.html');
  } finally {
    await browser.close();
  }
});
