import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { transform } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CONTRACT = '@extension-billing/contract/';

export type Exports = Readonly<Record<string, unknown>>;
/** Exports of a source to use in place of the right ones. */
export type Change = (right: Exports) => Exports;
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
/** Modules from packages, as Node loads them. */
const packages = new Map<string, Exports>();
/** The right modules, evaluated once. A mutant shares those that don't import what it changes, with their warm code. */
const right = new Map<string, Module>();

/**
 * Returns the exports of a source file, with some exports of its imports changed. The changed modules and all that import
 * them are evaluated again; the others are shared. Timers of the model end at once.
 *
 * @param changes by path
 */
export async function loadWith(entry: string, changes: ReadonlyMap<string, Change>): Promise<Exports> {
  if (changes.size > 0 && !right.has(entry)) await loadWith(entry, new Map());
  const graph = new Map<string, Source>();
  await collect(entry, graph);
  for (const path of changes.keys()) if (!graph.has(path)) throw new Error(`${entry} doesn't import ${path}`);
  const evaluated = new Map(right);
  for (const path of reaching(changes, graph)) evaluated.delete(path);
  const exports = evaluate(entry, { graph, changes, evaluated });
  if (changes.size === 0) for (const [path, each] of evaluated) right.set(path, each);
  return exports;
}

async function collect(path: string, graph: Map<string, Source>) {
  if (graph.has(path)) return;
  const source = await sourceOf(path);
  graph.set(path, source);
  for (const needed of source.needs.values()) await collect(needed, graph);
}

function sourceOf(path: string): Promise<Source> {
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

/** The path of an imported source of this repository; null for a package. */
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

/** The changed files and all that import them, directly or not. */
function reaching(changes: ReadonlyMap<string, Change>, graph: ReadonlyMap<string, Source>): Set<string> {
  const found = new Set(changes.keys());
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [path, { needs }] of graph)
      if ([...needs.values()].some((each) => found.has(each))) found.add(path);
  }
  return found;
}

interface Evaluation {
  readonly graph: ReadonlyMap<string, Source>;
  readonly changes: ReadonlyMap<string, Change>;
  readonly evaluated: Map<string, Module>;
}

function evaluate(path: string, all: Evaluation): Exports {
  const { graph, changes, evaluated } = all;
  const known = evaluated.get(path);
  if (known !== undefined) return known.exports;
  const source = graph.get(path);
  if (source === undefined) throw new Error(`${path} was not collected`);
  const module: Module = { exports: {} };
  // Before it is evaluated: modules that import each other get what is exported so far.
  evaluated.set(path, module);
  const require = (name: string): unknown => {
    const needed = source.needs.get(name);
    return needed === undefined ? packages.get(name) : evaluate(needed, all);
  };
  source.evaluate(require, module);
  const change = changes.get(path);
  if (change !== undefined) module.exports = { ...module.exports, ...change(module.exports) };
  return module.exports;
}
