import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CONTRACT = '@extension-billing/contract/';

type Exports = Readonly<Record<string, unknown>>;
interface Module {
  exports: Exports;
}
type Evaluate = (require: (name: string) => unknown, module: Module) => void;

/** One source file, ready to be evaluated any number of times. */
interface Source {
  readonly evaluate: Evaluate;
  /** By the name in its imports: the paths of the sources that it needs. */
  readonly needs: ReadonlyMap<string, string>;
}

const sources = new Map<string, Promise<Source>>();
/** What is no source of ours, as Node itself loads it. */
const packages = new Map<string, Exports>();
/** The right ones, evaluated once: a mutant shares all of them that it does not reach, and what they have warmed up. */
const right = new Map<string, Module>();

/**
 * The exports of a source file, evaluated with other texts in the place of some of the files that it needs. Those, and what
 * needs them, are evaluated anew; everything else is shared. Nobody waits in the model: timers are over at once.
 *
 * @param entry its path
 * @param texts by path
 */
export async function loadWith(entry: string, texts: ReadonlyMap<string, string>): Promise<Exports> {
  if (texts.size > 0 && !right.has(entry)) await loadWith(entry, new Map());
  const graph = new Map<string, Source>();
  await collect(entry, texts, graph);
  const evaluated = new Map(right);
  for (const path of reaching(texts, graph)) evaluated.delete(path);
  const exports = evaluate(entry, graph, evaluated);
  if (texts.size === 0) for (const [path, each] of evaluated) right.set(path, each);
  return exports;
}

async function collect(path: string, texts: ReadonlyMap<string, string>, graph: Map<string, Source>) {
  if (graph.has(path)) return;
  const source = await sourceOf(path, texts.get(path));
  graph.set(path, source);
  for (const needed of source.needs.values()) await collect(needed, texts, graph);
}

function sourceOf(path: string, text: string | undefined): Promise<Source> {
  if (text !== undefined) return compile(path, text);
  const known = sources.get(path) ?? readFile(path, 'utf8').then((read) => compile(path, read));
  sources.set(path, known);
  return known;
}

async function compile(path: string, text: string): Promise<Source> {
  const { code } = await transform(text, {
    ...({ loader: 'ts', format: 'cjs', platform: 'node', sourcefile: path } as const),
    supported: { 'dynamic-import': false },
  });
  const needs = new Map<string, string>();
  for (const [, name = ''] of code.matchAll(/\brequire\("([^"]+)"\)/g)) {
    const needed = pathOf(name, path);
    if (needed !== null) needs.set(name, needed);
    else if (!packages.has(name)) packages.set(name, await importPackage(name));
  }
  const evaluate = compileFunction(code, ['require', 'module'], { filename: path });
  return { evaluate: evaluate as Evaluate, needs };
}

/** Where a source of ours is that is imported under this name; null where it is none of ours. */
function pathOf(name: string, from: string): string | null {
  if (name.startsWith('.')) return resolve(dirname(from), name);
  if (!name.startsWith(CONTRACT)) return null;
  const file = name.slice(CONTRACT.length);
  return `${ROOT}packages/contract/${file.startsWith('test/') ? '' : 'src/'}${file}.ts`;
}

async function importPackage(name: string): Promise<Exports> {
  if (name === 'node:timers/promises') return { setTimeout: () => Promise.resolve() };
  return { ...((await import(/* @vite-ignore */ name)) as Exports), __esModule: true };
}

/** The files that are changed, and all that need one of them, near or far. */
function reaching(texts: ReadonlyMap<string, string>, graph: ReadonlyMap<string, Source>): Set<string> {
  const found = new Set(texts.keys());
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [path, { needs }] of graph)
      if ([...needs.values()].some((each) => found.has(each))) found.add(path);
  }
  return found;
}

function evaluate(path: string, graph: ReadonlyMap<string, Source>, evaluated: Map<string, Module>): Exports {
  const known = evaluated.get(path);
  if (known !== undefined) return known.exports;
  const source = graph.get(path);
  if (source === undefined) throw new Error(`${path} was not collected`);
  const module: Module = { exports: {} };
  // Before it is evaluated: files that need each other get what there is so far.
  evaluated.set(path, module);
  const require = (name: string): unknown => {
    const needed = source.needs.get(name);
    return needed === undefined ? packages.get(name) : evaluate(needed, graph, evaluated);
  };
  source.evaluate(require, module);
  return module.exports;
}
