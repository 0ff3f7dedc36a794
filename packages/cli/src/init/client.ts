import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from './change.ts';

/** What npm tells the programs it starts: a child would take it for the wishes of its own user. */
const OF_NPM = /^(?:INIT_CWD$|npm_(?!config_(?:registry|cache|userconfig)$))/;

/** The environment for a package manager in another folder, without what npm set for this one. */
export const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_NPM.test(name)));

/**
 * Reads the client's package.
 *
 * @param given a tarball; without one, the package beside this command is built and packed
 */
export function packedClient(given?: string): Client {
  const folder = mkdtempSync(join(tmpdir(), 'billing-client-'));
  try {
    const tarball = given === undefined ? pack(folder) : resolve(given);
    const unpacked = join(folder, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', tarball, '-C', unpacked, '--exclude=*.map']);
    const read = (path: string): string => readFileSync(join(unpacked, 'package', path), 'utf8');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const files = new Map(COPIED.map((name) => [name, read(`dist/${name}`)]));
    return {
      version,
      tarball: readFileSync(tarball),
      file: (name) => {
        const text = files.get(name);
        if (text === undefined) throw new Error(`The client has no ${name} to copy.`);
        return text;
      },
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What extensions without a bundler get copies of. */
const COPIED = [
  'background.js',
  'background.classic.js',
  'elements.js',
  'LICENSE',
  'licenses/background.md',
  'licenses/background.classic.md',
  'licenses/elements.md',
];

function pack(folder: string): string {
  console.log('Building the client (about 20 s) …');
  const dist = fileURLToPath(new URL('.', import.meta.resolve('@extension-billing/client/background')));
  const output = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: resolve(dist, '..'),
    env: ownEnvironment(),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  return join(folder, output.trim().split('\n').at(-1) ?? '');
}
