import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:path';

/** What package-lock.json says of one package. */
interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
}

/**
 * A registry of what this checkout's package-lock.json names, for `npm install` in another folder: the words of a guide
 * as they stand, the versions that were tested, and no download of what npm has in its cache (its tarballs are the public
 * registry's, told by their integrity).
 */
export async function startLockRegistry(lockFile: URL): Promise<{ url: string; close: () => void }> {
  const { packages } = JSON.parse(readFileSync(lockFile, 'utf8')) as { packages: Record<string, Locked> };
  const documents = documentsOf(packages);
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

function documentsOf(packages: Readonly<Record<string, Locked>>): ReadonlyMap<string, object> {
  const documents = new Map<string, { name: string; 'dist-tags': { latest: string }; versions: object }>();
  // What stands at the top is what this checkout itself uses: it is the latest there.
  const rows = Object.entries(packages).sort(([a], [b]) => depth(b) - depth(a));
  for (const [path, { version, integrity, link, ...about }] of rows) {
    const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
    if (name === undefined || version === undefined || integrity === undefined || link) continue;
    const tarball = `https://registry.npmjs.org/${name}/-/${parse(name).base}-${version}.tgz`;
    const versions = {
      ...documents.get(name)?.versions,
      [version]: { name, version, ...about, dist: { tarball, integrity } },
    };
    documents.set(name, { name, 'dist-tags': { latest: version }, versions });
  }
  return documents;
}

function depth(path: string): number {
  return path.split('node_modules/').length;
}
