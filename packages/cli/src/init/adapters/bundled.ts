import { dirname, join } from 'node:path/posix';
import type { Change } from '../change.ts';
import { addFirstLine, relativeTo } from '../edits/script.ts';
import { configOfItself, configOfJson } from '../templates/catalog.ts';
import { bundledPageHtml, pageCss, pageScript } from '../templates/page.ts';
import { workerModule } from '../templates/worker.ts';

/** What a bundler makes of billing's files, whatever the tool around it. */
export const CONFIG = 'billing.config.ts';

/** How one script imports another one that a bundler finds: without its ending. */
export const importName = (from: string, to: string): string =>
  relativeTo(from, to).replace(/\.[jt]sx?$/, '');

/**
 * The catalogue as data for pages that read it by its address, handed on for the commands. Node takes .mjs for a module
 * whatever package.json says, and no TypeScript build takes it along.
 */
export const configOfData = (folder: string): Change => ({
  kind: 'create',
  path: 'billing.config.mjs',
  text: configOfJson(join(folder, 'catalog.json')),
  why: 'what the local service sells',
});

/** billing.config.ts, which pages import. */
export const configFile = (): Change => ({
  kind: 'create',
  path: CONFIG,
  text: configOfItself(),
  why: 'what is sold: your pages show it, the local service sells it',
});

/** Billing's part of the background, which imports the package. */
export const workerFile = (path: string): Change => ({
  kind: 'create',
  path,
  text: workerModule('@extension-billing/client/background'),
  why: 'the call of billing, with the addresses of the local service',
});

/** The line by which a background of the owner's takes billing's part. */
export function lineInWorker(worker: string, file: string): Change {
  const line = `import '${importName(worker, file)}';`;
  return {
    kind: 'edit',
    path: worker,
    why: 'billing’s part of the background, before anything else of it',
    lines: [line],
    edit: (text) => addFirstLine(text, line),
  };
}

/** Billing's page as three files in a folder. @param html the page's own name */
export function bundledPage(folder: string, html: string): readonly Change[] {
  const script = join(folder, 'page.ts');
  return [
    {
      kind: 'create',
      path: join(folder, html),
      text: bundledPageHtml({ script: 'page.ts', styles: 'page.css' }),
      why: 'sign-in, plans, packs, balance',
    },
    {
      kind: 'create',
      path: script,
      text: pageScript(importName(script, CONFIG)),
      why: 'what the page runs',
    },
    pageStyles(folder),
  ];
}

export const pageStyles = (folder: string): Change => ({
  kind: 'create',
  path: join(folder, 'page.css'),
  text: pageCss(),
  why: 'the page’s look, yours to change',
});

/** Where billing's part of a background lies: in a folder beside it, in the owner's language. */
export const besideWorker = (worker: string): string =>
  join(dirname(worker), `billing/background.${/\.[cm]?jsx?$/.test(worker) ? 'js' : 'ts'}`);

/** What a configuration says of a key: plain text, nothing, or something that only running it tells. */
export type Setting = { readonly is: string } | 'absent' | 'computed';

/** `srcDir: 'src'`, or `resolve(__dirname, 'src')`; a computed value counts only at the start of a line or behind a comma. */
export function settingOf(text: string, key: string): Setting {
  const code = text
    .split(/\r?\n/)
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
    .join('\n');
  const at = `(?:^|[\\s{,])["']?${key}["']?`;
  const plain = '["\'`]([^"\'`$]*)["\'`]';
  const here = '(?:path\\.)?(?:resolve|join)\\(\\s*(?:__dirname|import\\.meta\\.dirname)\\s*,\\s*';
  const [, text1, text2] =
    new RegExp(`${at}\\s*:\\s*(?:${plain}\\s*(?:[,}\\n]|$)|${here}${plain}\\s*\\))`, 'm').exec(code) ?? [];
  const found = text1 ?? text2;
  if (found !== undefined) return { is: found };
  return new RegExp(`${at}\\s*(?::|,|\\}|\\n)`, 'm').test(code) ? 'computed' : 'absent';
}

/** A setting's plain text; null if it gives none. */
export function literalOf(text: string, key: string): string | null {
  const setting = settingOf(text, key);
  return typeof setting === 'object' ? setting.is : null;
}
