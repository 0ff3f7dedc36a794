import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PUBLIC_KEY } from '../extension/manifest.config.ts';
import { catalog } from '../packages/cli/src/local/catalog.ts';
import { sold } from '../packages/cli/src/local/sold.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

/** Packs the client into a folder, as `npm publish` would, and returns the path of the tarball. */
export async function packClient(folder: string): Promise<string> {
  const words = ['pack', '--silent', '-w', '@extension-billing/client', '--pack-destination', folder];
  const { stdout } = await run('npm', words, { cwd: ROOT });
  return join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/**
 * Installs the packed client in a folder that has nothing of this repository, and links the packages beside it from
 * this checkout. What npm has in its cache needs no network: after the first time, nothing does.
 */
export async function installClient(
  folder: string,
  tarball: string,
  peers: readonly string[],
): Promise<void> {
  const quiet = ['--prefer-offline', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  await runNpm(folder, ['install', ...quiet, tarball]);
  linkPeers(folder, peers);
}

/** npm in a folder, without what the test runner and npm itself have put into the environment. */
export async function runNpm(folder: string, words: readonly string[]): Promise<void> {
  const { NODE_ENV: _, ...env } = process.env;
  await run('npm', [...words], { cwd: folder, env }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`npm ${words.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  });
}

/**
 * The lines of a guide as they stand, one shell, beginning in this checkout; the first that fails ends them.
 *
 * @throws Error with what they printed.
 */
export async function runGuideLines(lines: string, more: Readonly<Record<string, string>>): Promise<void> {
  const { NODE_ENV: _, ...environment } = process.env;
  const env = { ...environment, ...more };
  await run('sh', ['-ec', lines], { cwd: ROOT, env }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${lines}failed:\n${error.stdout}${error.stderr}`);
  });
}

/** Links packages of this checkout into a folder's own. */
export function linkPeers(folder: string, peers: readonly string[]): void {
  for (const peer of peers) {
    const link = join(folder, 'node_modules', peer);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', peer), link);
  }
}

/** A program of this checkout, run in a folder. Its errors carry what it printed. */
export async function runProgram(folder: string, name: string, ...words: string[]): Promise<void> {
  const path = `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`;
  // The test runner sets NODE_ENV to "test", which would bring React's development build.
  const env = { ...process.env, PATH: path, NODE_ENV: 'production' };
  await run(name, words, { cwd: folder, env }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${name} ${words.join(' ')} failed:\n${error.stdout}${error.stderr}`);
  });
}

/** An example of this checkout, with what the suite sells in the place of the shipped catalogue. */
export function copyExample(name: string, folder: string): void {
  cpSync(join(ROOT, 'examples', name), folder, {
    recursive: true,
    filter: (path) => !/node_modules|dist$/.test(path.slice(ROOT.length)),
  });
  writeFileSync(
    join(folder, 'src', 'catalog.ts'),
    `import type { Pricing } from '@extension-billing/client/pricing';\nexport const catalog: Pricing = ${JSON.stringify(catalog)};\n`,
  );
}

/**
 * An extension of files alone: those given, and the package's own out of its tarball, with what the suite sells. It has
 * the id that the suite lets in.
 */
export async function makePlainExtension(
  folder: string,
  tarball: string,
  files: readonly (readonly [file: string, text: string])[],
): Promise<void> {
  const billing = join(folder, 'billing');
  mkdirSync(billing, { recursive: true });
  const packed = ['background.js', 'elements.js'].map((name) => `package/dist/${name}`);
  await run('tar', ['-xzf', tarball, '-C', billing, '--strip-components=2', ...packed]);
  writeFileSync(join(billing, 'catalog.json'), JSON.stringify(catalog));
  for (const [file, text] of files) {
    writeFileSync(join(folder, file), text.replaceAll('feature="demo"', `feature="${sold.feature}"`));
  }
  const manifest = join(folder, 'manifest.json');
  const fields: object = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, JSON.stringify({ ...fields, key: PUBLIC_KEY }));
  useSuiteAddresses(folder, process.env);
}

/** What the suite sells in the place of what the guide's pages name: its plan, its pack and its feature. */
export function useSuiteCatalog(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue;
    const changed = readFileSync(join(folder, file), 'utf8')
      .replace(/(plans: \{\s*)\w+(?=:)/, `$1${sold.monthly.lookupKey}`)
      .replace(/(packs: \{\s*)\w+(?=:)/, `$1${sold.smallPack.lookupKey}`)
      .replaceAll(/(?<=[{"] ?)demo(?=[":])/g, sold.feature);
    writeFileSync(join(folder, file), changed);
  }
}

/** The running suite's addresses in the place of the usual ones, in every file of a folder. */
export function useSuiteAddresses(folder: string, environment: NodeJS.ProcessEnv): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.([jt]s|json)$/.test(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    writeFileSync(join(folder, file), withSuiteAddresses(text, environment));
  }
}

/** A text with the running suite's addresses in the place of the usual ones. */
export function withSuiteAddresses(text: string, environment: NodeJS.ProcessEnv): string {
  const { BILLING_BASE_URL = '', FIREBASE_AUTH_EMULATOR_HOST, RETURN_BASE_URL } = environment;
  const { FIRESTORE_EMULATOR_HOST = '' } = environment;
  return text
    .replaceAll('http://127.0.0.1:5001', new URL(BILLING_BASE_URL).origin)
    .replaceAll('http://127.0.0.1:9099', `http://${FIREBASE_AUTH_EMULATOR_HOST}`)
    .replaceAll('http://127.0.0.1:5056', RETURN_BASE_URL ?? '')
    .replaceAll('http://127.0.0.1:8080', `http://${FIRESTORE_EMULATOR_HOST}`)
    .replaceAll('port: 8080', `port: ${FIRESTORE_EMULATOR_HOST.split(':')[1]}`);
}

/** What the guide puts into files: the blocks that name one. */
export function fileBlocks(guide: string): [file: string, text: string][] {
  const blocks = guide.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, file = '', text = '']) => [file, text]);
}

/** What the guide types into a shell. */
export function shellBlocks(guide: string): string[] {
  return [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
}
