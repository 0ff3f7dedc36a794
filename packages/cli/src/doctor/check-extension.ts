import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_CATALOG } from '@extension-billing/contract/built-catalog';
import type { Catalog } from '@extension-billing/contract/catalog';
import { findConfig } from '../local/find-config.ts';
import { readCatalog } from '../local/read-catalog.ts';
import { type Finding, fine, noted, problem } from './check-settings.ts';

/**
 * What a built extension sells on its first paint and offline, against the file. Pages go by the published catalogue as
 * soon as they have it; until then they would promise what the service does not charge.
 *
 * @param folder the built extension; null where none was named and none is built
 */
export async function checkExtension(folder: string | null, file: Catalog): Promise<Finding> {
  if (folder === null) return fine('extension: none is built here (--extension names the folder of one)');
  const built = read(join(folder, BUILT_CATALOG));
  if (built !== null) {
    const differing = differencesOf(built, file);
    if (differing.length === 0) return fine(`extension: ${folder} is built with what the file says`);
    const about = `extension: ${folder} is built with another catalogue, in ${differing.join(', ')}`;
    return problem(about, `${BUILD} takes the file in; then bring that build to those who use it.`);
  }
  // Most bundlers put no such file beside their bundle. Then the sources have to do.
  const config = findConfig(folder);
  if (config === null) {
    const missing = `extension: ${folder} does not say what it sells (no ${BUILT_CATALOG}, no billing.config.ts)`;
    return problem(missing, 'Name the folder of the extension, or of its build.');
  }
  const differing = differencesOf(await readCatalog(config), file);
  if (differing.length === 0) {
    return noted(
      `extension: ${config} says what the service's file says`,
      'Its build does not say with which catalogue it was made: build it again if that may be older.',
    );
  }
  const about = `extension: ${config} is another catalogue than the service's, in ${differing.join(', ')}`;
  return problem(about, `Make both equal, then build the extension again.`);
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
function differencesOf(built: unknown, catalog: Catalog): readonly string[] {
  const [one, other] = [built, catalog].map((each) => partsOf(JSON.parse(JSON.stringify(each)))) as [
    Parts,
    Parts,
  ];
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => one.get(name) !== other.get(name));
}

type Parts = ReadonlyMap<string, string>;

function partsOf(catalog: unknown): Parts {
  const parts = typeof catalog === 'object' && catalog !== null ? Object.entries(catalog) : [];
  return new Map(parts.map(([name, part]) => [name, JSON.stringify(part)]));
}
