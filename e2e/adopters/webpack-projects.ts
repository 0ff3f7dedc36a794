import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { runNpm } from '../new-extension.ts';

const SCAFFOLD = 'chrome-extension-cli@1.5.0';
/** What its TypeScript of 2022 reads; it names none, and newer ones break its own build. */
const OLD_NODE_TYPES = '@types/node@17.0.21';

/** The templates of the scaffold: how each is asked for, and the page that shows what it does. */
export const TEMPLATES = {
  popup: { words: [], page: 'popup.html' },
  'side panel': { words: ['--side-panel'], page: 'sidepanel.html' },
  devtools: { words: ['--devtools'], page: 'panel.html' },
  'new tab': { words: ['--override-page=newtab'], page: 'index.html' },
} as const;
export const LANGUAGES = ['javascript', 'typescript'] as const;

/** An extension as `npx chrome-extension-cli` makes it, on webpack, installed from the registry. */
export async function makeWebpack(
  folder: string,
  template: keyof typeof TEMPLATES,
  language: (typeof LANGUAGES)[number],
): Promise<void> {
  const [name = ''] = folder.split('/').slice(-1);
  const words = ['--yes', SCAFFOLD, name, `--language=${language}`, ...TEMPLATES[template].words];
  const { NODE_ENV: _, ...inherited } = process.env;
  const env = { ...inherited, npm_config_prefer_offline: 'true', npm_config_audit: 'false' };
  await promisify(execFile)('npx', words, { cwd: dirname(folder), env });
  if (language === 'typescript')
    await runNpm(folder, ['install', '--save-dev', '--prefer-offline', '--no-audit', OLD_NODE_TYPES]);
}
