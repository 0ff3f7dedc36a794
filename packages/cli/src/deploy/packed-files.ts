import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What firebase-tools uploads of the built folder, with sizes, by the `ignore` of firebase.json. */
export function packedFiles(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules' && !name.endsWith('.log'))
    .toSorted()
    .map((name) => `${name} (${Math.ceil(statSync(join(folder, name)).size / 1024)} KiB)`);
}
