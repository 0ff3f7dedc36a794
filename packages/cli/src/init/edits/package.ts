import type { Change, Client } from '../change.ts';
import { type Extension, packagesOf } from '../extension.ts';

const NAME = '@extension-billing/client';
/** The folder in which `init` keeps what is its own. */
export const PACKAGES = '.extension-billing';
const ADD = {
  npm: { words: ['npm', 'install', '--no-audit', '--no-fund'], lock: 'package-lock.json' },
  pnpm: { words: ['pnpm', 'add'], lock: 'pnpm-lock.yaml' },
  yarn: { words: ['yarn', 'add'], lock: 'yarn.lock' },
  bun: { words: ['bun', 'add'], lock: 'bun.lock' },
} as const;

/** Where the package lies in the extension's folder, so that package.json names no file outside of it. */
export const packagePath = ({ version }: Client): string =>
  `${PACKAGES}/extension-billing-client-${version}.tgz`;

/** Brings the package in with the folder's own package manager, unless package.json names it already. */
export function installChanges({ packageJson, uses, listing }: Extension, client: Client): readonly Change[] {
  if (Object.hasOwn(packagesOf(packageJson), NAME)) return [];
  const { words, lock } = ADD[uses.packageManager];
  return [
    {
      kind: 'install',
      command: [...words, `${NAME}@file:${packagePath(client)}`],
      touches: ['package.json', lock, ...(listing.lockAbove === null ? [] : [listing.lockAbove])],
      why: 'the package itself',
    },
  ];
}
