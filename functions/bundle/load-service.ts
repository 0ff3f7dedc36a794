import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

export type Service = typeof import('../src/index.ts');

export interface Loaded {
  readonly service: Service;
  /** What V8 made of the bundle, for warm-up to write down. */
  readonly script: Script;
}

/** What V8 compiled of service.cjs in an earlier process; made by warm-up.ts. */
export const cacheOf = (folder: string): string => join(folder, 'service.cjs.v8cache');

/**
 * Runs service.cjs with the code that V8 compiled earlier, which saves half of the start (decisions/0045). V8 itself
 * refuses a cache of another version, of other flags or of another length; then, as without one, the bundle is
 * compiled as any other file.
 */
export function loadService(folder: string): Loaded {
  const file = join(folder, 'service.cjs');
  const [opening = ''] = wrap('\n').split('\n');
  const cachedData = readIfThere(cacheOf(folder));
  // esbuild writes ASCII only, and reading that as Latin-1 keeps one byte a letter.
  const script = new Script(wrap(readFileSync(file, 'latin1')), {
    filename: file,
    columnOffset: -opening.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData !== undefined && { cachedData }),
  });
  const module = { exports: {} };
  script.runInThisContext().call(module.exports, module.exports, createRequire(file), module, file, folder);
  return { service: module.exports as Service, script };
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
