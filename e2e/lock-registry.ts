import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:path';

/** What package-lock.json says of one package. */
interface Locked {
  /** Of an alias (`react-18`): the package behind it. */
  readonly name?: string;
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * A registry of what this checkout's package-lock.json names, for `npm install` in another folder: the words of a guide
 * as they stand, the versions that were tested, and no download of what npm has in its cache. Tarballs come from the
 * registry that npm is configured with.
 */
export async function startLockRegistry(lockFile: URL): Promise<{ url: string; close: () => void }> {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, Locked> };
  const upstream = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const documents = documentsOf(packages, overridesBeside(lockFile), upstream.replace(/\/*$/, '/'));
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url ?? '/', 'http://registry').pathname.slice(1));
    const document = documents.get(name);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { error: `${name} is not in package-lock.json` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/** The versions that this checkout takes in place of those that its packages ask for. */
function overridesBeside(lockFile: URL): ReadonlyMap<string, string> {
  const { overrides = {} } = JSON.parse(readFileSync(new URL('package.json', lockFile), 'utf8')) as {
    overrides?: Readonly<Record<string, unknown>>;
  };
  return new Map(
    Object.entries(overrides).flatMap(([name, by]) => (typeof by === 'string' ? [[name, by]] : [])),
  );
}

function documentsOf(
  packages: Readonly<Record<string, Locked>>,
  overrides: ReadonlyMap<string, string>,
  upstream: string,
): ReadonlyMap<string, object> {
  const documents = new Map<string, { name: string; 'dist-tags': { latest: string }; versions: object }>();
  // What stands at the top is what this checkout itself uses: it is the latest there.
  const rows = Object.entries(packages).sort(([a], [b]) => depth(b) - depth(a));
  for (const [path, { version, integrity, link, ...about }] of rows) {
    const [, folder] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    const name = about.name ?? folder;
    if (name === undefined || version === undefined || integrity === undefined || link) continue;
    const dependencies = Object.fromEntries(
      Object.entries(about.dependencies ?? {}).map(([on, range]) => [on, overrides.get(on) ?? range]),
    );
    const tarball = `${upstream}${name}/-/${parse(name).base}-${version}.tgz`;
    const versions = {
      ...documents.get(name)?.versions,
      [version]: { name, version, ...about, dependencies, dist: { tarball, integrity } },
    };
    const latest = (name !== folder && documents.get(name)?.['dist-tags'].latest) || version;
    documents.set(name, { name, 'dist-tags': { latest }, versions });
  }
  return documents;
}

function depth(path: string): number {
  return path.split('node_modules/').length;
}
