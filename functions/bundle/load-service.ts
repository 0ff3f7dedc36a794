import { readFileSync } from 'node:fs';
import { createRequire, wrap } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';

export type Service = typeof import('../src/index.ts');

export interface Loaded {
  readonly service: Service;
  /** What V8 made of each file that has been loaded by now, by the file's path, for warm-up to write down. */
  readonly scripts: ReadonlyMap<string, Script>;
}

/** What V8 compiled of a file in an earlier process; made by warm-up.ts. */
export const cacheOf = (file: string): string => `${file}.v8cache`;

/**
 * Runs service.cjs, and beside it what it requires, with the code that V8 compiled earlier, which saves half of the
 * start (docs/decisions/performance.md). V8 itself refuses a cache of another version, flags or length; then, as
 * without one, the file is compiled as any other.
 */
export function loadService(folder: string): Loaded {
  const scripts = new Map<string, Script>();
  const exported = new Map<string, unknown>();
  const require = createRequire(join(folder, 'index.cjs'));

  const load = (id: string): unknown => {
    if (!id.startsWith('./')) return require(id);
    const file = join(folder, id);
    if (exported.has(file)) return exported.get(file);
    const script = compile(file);
    const module = { exports: {} };
    scripts.set(file, script);
    exported.set(file, module.exports);
    script.runInThisContext().call(module.exports, module.exports, load, module, file, folder);
    exported.set(file, module.exports);
    return module.exports;
  };
  return { service: load('./service.cjs') as Service, scripts };
}

function compile(file: string): Script {
  const [opening = ''] = wrap('\n').split('\n');
  const cachedData = readIfThere(cacheOf(file));
  // esbuild writes ASCII only, and reading that as Latin-1 keeps one byte a letter.
  return new Script(wrap(readFileSync(file, 'latin1')), {
    filename: file,
    columnOffset: -opening.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(cachedData !== undefined && { cachedData }),
  });
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
