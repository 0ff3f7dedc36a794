import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is installed beside the bundle: the server that Cloud Run starts. Everything else is in service.cjs. */
const INSTALLED = ['@google-cloud/functions-framework'] as const;

/** An entry of a lock file's `packages`, as npm writes it (lockfileVersion 3). */
interface LockedPackage {
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Locked = Readonly<Record<string, LockedPackage>>;

/**
 * Writes package.json and package-lock.json into the built folder, so that Cloud Build installs the very versions
 * that were tested here, and nothing that the bundle has in it.
 *
 * @param lockFile the repository's package-lock.json
 * @throws Error when the lock does not have a package that is to be installed
 */
export function writeDeployedPackage(folder: string, lockFile: string, node: string): void {
  const { packages }: { packages: Locked } = JSON.parse(readFileSync(lockFile, 'utf8'));
  const dependencies = Object.fromEntries(
    INSTALLED.map((name) => [name, versionOf(packages, `node_modules/${name}`)]),
  );
  const about = { name: 'extension-billing-function', version: '0.0.0' };
  const root = { ...about, dependencies, engines: { node } };
  write(join(folder, 'package.json'), {
    ...root,
    private: true,
    main: 'index.cjs',
    scripts: { 'gcp-build': 'node warm-up.cjs' },
  });
  write(join(folder, 'package-lock.json'), {
    ...about,
    lockfileVersion: 3,
    requires: true,
    packages: { '': root, ...closure(packages) },
  });
}

/** The locked packages that the installed ones lead to, under the paths that they have in the repository's lock. */
function closure(packages: Locked): Locked {
  const found = new Map<string, LockedPackage>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    // What only the repository's developers install, the function's server needs.
    const {
      dev: _dev,
      peer: _peer,
      ...locked
    } = packages[path] as LockedPackage & { dev?: true; peer?: true };
    found.set(path, locked);
    for (const name of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) {
      const below = resolve(packages, path, name);
      if (below !== null) visit(below);
    }
  };
  for (const name of INSTALLED) visit(`node_modules/${name}`);
  return Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Where Node finds `name` from a package: beside it, or in the nearest folder above. */
function resolve(packages: Locked, from: string, name: string): string | null {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const path = `${at === '' ? '' : `${at}/`}node_modules/${name}`;
    if (path in packages) return path;
    if (at === '') return null;
  }
}

function versionOf(packages: Locked, path: string): string {
  const version = packages[path]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${path}: run npm install.`);
  return version;
}

function write(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
