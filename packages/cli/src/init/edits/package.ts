import type { Change, Client } from '../change.ts';
import { type Extension, packagesOf } from '../extension.ts';
import { addToJsonList } from './json.ts';

const NAME = '@extension-billing/client';
/** The folder in which `init` keeps what is its own. */
export const PACKAGES = '.extension-billing';
const ADD = {
  npm: { words: ['npm', 'install', '--no-audit', '--no-fund'], lock: 'package-lock.json', run: 'npx' },
  pnpm: { words: ['pnpm', 'add'], lock: 'pnpm-lock.yaml', run: 'pnpm exec' },
  yarn: { words: ['yarn', 'add'], lock: 'yarn.lock', run: 'yarn' },
  bun: { words: ['bun', 'add'], lock: 'bun.lock', run: 'bunx' },
} as const;

/** Where the package lies in the extension's folder, so that package.json names no file outside of it. */
export const packagePath = ({ version }: Client): string =>
  `${PACKAGES}/extension-billing-client-${version}.tgz`;

/** Brings the package in with the folder's own package manager, unless package.json names it already. */
export function installChanges(extension: Extension, client: Client): readonly Change[] {
  const { packageJson, uses, listing } = extension;
  if (Object.hasOwn(packagesOf(packageJson), NAME)) return [];
  const { words, lock } = ADD[uses.packageManager];
  return [
    {
      kind: 'install',
      command: [...words, ...rootFlag(extension), `${NAME}@file:${packagePath(client)}`],
      touches: ['package.json', lock, ...(listing.lockAbove === null ? [] : [listing.lockAbove])],
      why: 'the package itself',
    },
  ];
}

/** pnpm and the first yarn refuse to add to the root of a workspace unless told that it is meant. */
function rootFlag({ packageJson, uses, listing }: Extension): readonly string[] {
  const { paths } = listing;
  if (uses.packageManager === 'pnpm') return paths.includes('pnpm-workspace.yaml') ? ['-w'] : [];
  const isNewYarn =
    listing.text('.yarnrc.yml') !== null || /^yarn@[2-9]/.test(packageJson?.packageManager ?? '');
  return uses.packageManager === 'yarn' && packageJson?.workspaces !== undefined && !isNewYarn ? ['-W'] : [];
}

/** How a person runs a script of package.json, or a program that it brings. */
export function runLine({ packageJson, uses }: Extension, words: string): string {
  const isScript = packageJson?.scripts?.[words] !== undefined;
  return isScript ? `${uses.packageManager} run ${words}` : `${ADD[uses.packageManager].run} ${words}`;
}

/** With `sideEffects: false` a bundler drops an import for its effects alone, and with it the whole of billing. */
export function keptImport({ packageJson }: Extension, file: string): readonly Change[] {
  const { sideEffects } = packageJson ?? {};
  if (sideEffects !== false && !Array.isArray(sideEffects)) return [];
  return [
    {
      kind: 'edit',
      path: 'package.json',
      why: 'bundlers drop an import for its effects alone, unless its file is named here',
      lines: [`"sideEffects": ["./${file}"]`],
      edit: (text) => addToJsonList(text, ['sideEffects'], [`./${file}`]),
    },
  ];
}
