import type { Client } from '../src/init/change.ts';
import type { Listing } from '../src/init/extension.ts';

/** A folder that is on no disk. */
export function fakeListing(files: Readonly<Record<string, string>>): Listing {
  return { paths: Object.keys(files).toSorted(), text: (path) => files[path] ?? null };
}

export const fakeClient: Client = {
  version: '1.0.0',
  spec: '^1.0.0',
  file: (name) => `the package's ${name}`,
};
