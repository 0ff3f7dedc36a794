import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_CATALOG } from '@extension-billing/contract/built-catalog';
import type { Catalog } from '@extension-billing/contract/catalog';
import { type Finding, fine, problem } from './check-settings.ts';

/**
 * What a built extension sells on its first paint and offline, against the file. Pages go by the published catalogue as
 * soon as they have it; until then they would promise what the service does not charge.
 *
 * @param folder the built extension; null where none was named and none is built
 */
export function checkExtension(folder: string | null, file: Catalog): Finding {
  if (folder === null) return fine('extension: none is built here (--extension names the folder of one)');
  const built = read(join(folder, BUILT_CATALOG));
  if (built === null) {
    const missing = `extension: ${folder} does not say what it sells (no ${BUILT_CATALOG})`;
    return problem(missing, `${BUILD} writes that file; name the folder of a built extension.`);
  }
  const expected: unknown = JSON.parse(JSON.stringify(file));
  const differing = differencesOf(built, expected);
  if (differing.length === 0) return fine(`extension: ${folder} is built with what the file says`);
  const about = `extension: ${folder} is built with another catalogue, in ${differing.join(', ')}`;
  return problem(about, `${BUILD} takes the file in; then bring that build to those who use it.`);
}

const BUILD = 'npm run build';

function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** Names of the parts that differ; also where the same is there in another order, as pages would show it. */
function differencesOf(built: unknown, file: unknown): readonly string[] {
  const [one, other] = [partsOf(built), partsOf(file)];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => one.get(name) !== other.get(name));
}

function partsOf(catalog: unknown): ReadonlyMap<string, string> {
  const parts = typeof catalog === 'object' && catalog !== null ? Object.entries(catalog) : [];
  return new Map(parts.map(([name, part]) => [name, JSON.stringify(part)]));
}
