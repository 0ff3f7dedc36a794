import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadWith } from './mutable-modules.ts';

/** A piece of the service's source, and what a wrong implementation has in its place. */
export interface Mutation {
  /** From the repository's root. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly right: string;
  readonly wrong: string;
}

/** What a mutant is made of: the service behind this file. */
interface Harnesses {
  readonly './memory-service.ts': typeof import('./memory-service.ts');
  readonly './clock-service.ts': typeof import('./clock-service.ts');
  readonly './purchase-service.ts': typeof import('./purchase-service.ts');
  readonly './free-world.ts': typeof import('./free-world.ts');
  readonly './carried-world.ts': typeof import('./carried-world.ts');
  readonly './sale-world.ts': typeof import('./sale-world.ts');
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = here('../../../');

/** The service in memory of the model test (as `mutated`). */
export async function mutatedService(mutations: readonly Mutation[]) {
  return (await mutated('./memory-service.ts', mutations)).memoryService;
}

/**
 * A model test's service, made of sources in which these pieces are exchanged. Callers within the
 * file run the mutant too, which a mocked module cannot do.
 *
 * @throws Error where a piece is not in its file exactly once: the mutant has to follow the code
 */
export async function mutated<Entry extends keyof Harnesses>(
  entry: Entry,
  mutations: readonly Mutation[],
): Promise<Harnesses[Entry]> {
  const texts = new Map<string, string>();
  for (const { file, right, wrong } of mutations) {
    const path = `${ROOT}${file}`;
    const text = texts.get(path) ?? (await readFile(path, 'utf8'));
    const found = text.split(right).length - 1;
    if (found !== 1) throw new Error(`${file} has this ${found} times, so the mutant is not one:\n${right}`);
    texts.set(
      path,
      text.replace(right, () => wrong),
    );
  }
  return (await loadWith(here(entry), texts)) as Harnesses[Entry];
}
