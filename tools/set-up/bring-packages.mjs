import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm, run, say } from './run.mjs';

/** @typedef {{ packages: Record<string, { version?: string, optional?: boolean, devOptional?: boolean, link?: boolean }> }} Lock */

/**
 * Installs the npm packages of the lock file unless they are there. The stamp lies in node_modules and is
 * written last, so an interrupted installation is made again.
 *
 * Install scripts are not run: of the packages that have one only `node` needs it. re2's compiles for two
 * minutes and is an optional part of firebase-tools that the emulators do not use.
 *
 * @param {string} root
 * @throws {Error} when npm fails or Node 24 does not run.
 */
export async function bringPackages(root) {
  const modules = join(root, 'node_modules');
  const stamp = join(modules, '.extension-billing-installed');
  const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const wanted = createHash('sha256').update(`${process.platform} ${process.arch} ${lockText}`).digest('hex');
  if (readIfThere(stamp) === wanted) return;
  const installed = readIfThere(join(modules, '.package-lock.json'));
  const isComplete = installed !== undefined && isInstalled(JSON.parse(lockText), JSON.parse(installed));
  if (!isComplete) {
    say('installing the npm packages (about 3 minutes the first time) …');
    // Not `npm ci`: it refuses a lock file in which the optional packages of other platforms are missing, as
    // they are when npm wrote it on a machine whose registry has only its own. Versions and hashes are the
    // lock file's all the same, and the lock file is not written.
    const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const { program, first } = npm(process.env);
    const install = () => run(program, [...first, ...args], { cwd: root });
    const end = showProgress(() => installedOf(JSON.parse(lockText), (path) => existsSync(join(root, path))));
    try {
      // Twice: a registry that fails once under a thousand requests is no rarity, and the second try goes on.
      if (!(await install()) && !(await install())) {
        throw new Error('npm install failed; what it printed says why. Is the npm registry reachable?');
      }
    } finally {
      end();
    }
  }
  await bringNode(root);
  writeFileSync(stamp, wanted);
}

/** @param {string} root */
async function bringNode(root) {
  const program = join(root, 'node_modules', '.bin', 'node');
  if (await runsNode24(program)) return;
  say('installing Node 24 beside the packages (half a minute) …');
  const folder = join(root, 'node_modules', 'node');
  await run(process.execPath, ['installArchSpecificPackage'], { cwd: folder });
  // npm links no program that is not there yet when it installs the package, and without scripts it is not.
  if (!existsSync(program)) symlinkSync(join('..', 'node', 'bin', 'node'), program);
  if (await runsNode24(program)) return;
  throw new Error(
    'The npm package "node" did not bring a Node 24 that runs here. Remove node_modules and run this again.',
  );
}

/** @param {string} program */
async function runsNode24(program) {
  const check = 'process.exit(process.version.startsWith("v24.") ? 0 : 1)';
  return existsSync(program) && run(program, ['-e', check], { quiet: true });
}

/**
 * Whether what npm noted in node_modules is what the lock file asks for; so a plain `npm install` counts.
 * Packages that the lock file does not know are left alone: the package `node` installs its binary itself.
 *
 * @param {Lock} lock @param {Lock} installed
 */
export function isInstalled(lock, installed) {
  return Object.entries(lock.packages).every(([path, { version, optional, devOptional }]) => {
    if (!path.includes('node_modules/')) return true;
    const found = installed.packages[path];
    return found === undefined ? Boolean(optional || devOptional) : found.version === version;
  });
}

const EVERY_MS = 10_000;

/**
 * Says every few seconds how far it is: npm says nothing for minutes.
 *
 * @param {() => string} describe
 * @returns {() => void} ends it
 */
function showProgress(describe) {
  const started = Date.now();
  const tell = () => say(`${describe()}, ${Math.round((Date.now() - started) / 1000)} s`);
  const timer = setInterval(tell, EVERY_MS);
  return () => clearInterval(timer);
}

/**
 * How many of the packages for this machine are in their place.
 *
 * @param {Lock} lock @param {(path: string) => boolean} exists
 */
export function installedOf({ packages }, exists) {
  const wanted = Object.entries(packages).filter(
    ([path, { link, optional, devOptional }]) =>
      path.includes('node_modules/') && !link && !optional && !devOptional,
  );
  const there = wanted.filter(([path]) => exists(`${path}/package.json`));
  return `${there.length} of ${wanted.length} packages`;
}

/** @param {string} path */
function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
