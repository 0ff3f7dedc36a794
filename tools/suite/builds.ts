import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Environment, PORT_NAMES, type Ports, readPorts } from '../../packages/cli/src/local/ports.ts';
import { PROJECT_ID } from '../../packages/cli/src/local/suite.ts';

/** Where the function is built to. One that sells another catalogue is not what is deployed, and lies elsewhere. */
export function functionFolder(root: string, { BILLING_CATALOG: other }: Environment): string {
  return other ? join(root, '.suite', `functions-${nameOf(other)}`) : join(root, 'functions', 'dist');
}

/** What a catalogue's builds are called: two of them never take each other's place while they run. */
const nameOf = (catalog: string): string => basename(catalog).replace(/\.\w+$/, '');

/** Builds the function's bundle when its sources changed, with the catalogue that the environment names. */
export function buildFunction(root: string, environment: Environment = {}): Promise<boolean> {
  const outFolder = functionFolder(root, environment);
  const { BILLING_CATALOG: other } = environment;
  return buildIfChanged(root, {
    workspace: 'functions',
    outFolder,
    result: 'index.cjs',
    sources: ['billing.config.ts', 'functions', 'packages/contract', 'package-lock.json'],
    values: other ? { BILLING_CATALOG: other } : {},
    args: other ? [outFolder] : [],
  });
}

/**
 * Builds the extension for this suite's addresses when its sources or the addresses changed.
 *
 * @returns the folder to load: extension/dist on the default ports, one under .suite/ on others.
 */
export async function buildExtension(
  root: string,
  ports: Ports,
  variables: Readonly<Record<string, string>>,
  environment: Environment = {},
): Promise<string> {
  const { BILLING_CATALOG: other } = environment;
  const usual = readPorts({});
  const onUsualPorts = PORT_NAMES.every((name) => ports[name] === usual[name]);
  const isUsual = onUsualPorts && !other;
  const folder = isUsual
    ? join(root, 'extension', 'dist')
    : join(root, '.suite', `extension-${ports.functions}${other ? `-${nameOf(other)}` : ''}`);
  await buildIfChanged(root, {
    workspace: 'extension',
    outFolder: folder,
    result: 'manifest.json',
    sources: ['billing.config.ts', 'extension', 'packages/client', 'packages/contract', 'package-lock.json'],
    values: { ...extensionVariables(variables), ...(other && { BILLING_CATALOG: other }) },
    args: isUsual ? [] : ['--outDir', folder, '--emptyOutDir'],
  });
  return folder;
}

/** What the extension is built with to reach this suite. */
export function extensionVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const values = {
    VITE_API_BASE_URL: variables.BILLING_BASE_URL,
    VITE_FIREBASE_PROJECT_ID: PROJECT_ID,
    VITE_AUTH_EMULATOR_URL: `http://${variables.FIREBASE_AUTH_EMULATOR_HOST}`,
    VITE_FIRESTORE_EMULATOR: variables.FIRESTORE_EMULATOR_HOST,
    VITE_RETURN_ORIGIN: variables.RETURN_BASE_URL,
    VITE_SIGN_IN_LINK_URL: variables.RETURN_BASE_URL && `${variables.RETURN_BASE_URL}/billing/sign-in.html`,
  };
  return Object.fromEntries(Object.entries(values).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])));
}

interface Build {
  readonly workspace: string;
  readonly outFolder: string;
  /** A file in the out folder that every build writes anew. */
  readonly result: string;
  /** Files and folders that the build reads. */
  readonly sources: readonly string[];
  /** Values compiled into the result; another value needs another build. */
  readonly values: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Lies in the out folder; a build by hand with other values empties the folder, and so removes it. */
const BUILT_WITH = '.built-with.json';

/**
 * Builds a workspace unless its result is newer than all its sources and was built with the same values.
 *
 * @returns whether it had to build.
 * @throws Error with what the build printed when it fails.
 */
async function buildIfChanged(root: string, build: Build): Promise<boolean> {
  const sources = build.sources.map((source) => newestIn(join(root, source)));
  const values = JSON.stringify(build.values);
  const note = join(build.outFolder, BUILT_WITH);
  const isFresh = modifiedAt(join(build.outFolder, build.result)) > Math.max(...sources);
  if (isFresh && readIfThere(note) === values) return false;
  await run(root, build);
  writeFileSync(note, values);
  return true;
}

function newestIn(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  if (!stat.isDirectory()) return stat.mtimeMs;
  const inside = readdirSync(path).filter((name) => name !== 'node_modules' && name !== 'dist');
  return Math.max(stat.mtimeMs, ...inside.map((name) => newestIn(join(path, name))));
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
}

function readIfThere(path: string): string | undefined {
  return modifiedAt(path) < 0 ? undefined : readFileSync(path, 'utf8');
}

function run(root: string, { workspace, args, values }: Build): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('npm', ['run', '--silent', 'build', '-w', workspace, '--', ...args], {
      cwd: root,
      // The test runner sets it to "test", which would bring React's development build.
      env: { ...process.env, NODE_ENV: 'production', ...values },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm run build -w ${workspace} failed:\n\n${output.trimEnd()}\n`));
    });
  });
}
