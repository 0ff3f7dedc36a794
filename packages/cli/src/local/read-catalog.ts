import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type CatalogInput, defineCatalog } from '@extension-billing/contract';
import type { Catalog } from '@extension-billing/contract/catalog';
import { Refusal } from './refusal.ts';

interface CatalogModule {
  readonly default?: Catalog | CatalogInput;
}

/**
 * Imports a catalogue.
 *
 * @param load for a bundler that must see which file it is
 * @throws Refusal with the file and, if known, line and column: a missing file, broken code or values that can't be sold
 */
export async function readCatalog(
  file: string,
  load: () => Promise<CatalogModule> = () => import(pathToFileURL(file).href),
): Promise<Catalog> {
  if (!existsSync(file)) throw new Refusal(`${shown(file)}: no such file. It says what you sell.`);
  try {
    const { default: given } = await load();
    if (given === undefined) throw new Refusal(`${shown(file)}: has no default export.`);
    return isDefined(given) ? given : defineCatalog(given);
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error)) throw error;
    const place = `${shown(file)}${positionOf(file, error)}`;
    const problems = problemsOf(error);
    throw new Refusal(
      problems === null
        ? `${place}: ${error.message.split('\n')[0]}`
        : [`${place}: this can't be sold:`, ...problems.map((line) => `  - ${line}`)].join('\n'),
    );
  }
}

/** Whether `defineCatalog` has run: offers are a list then. */
const isDefined = (given: Catalog | CatalogInput): given is Catalog => Array.isArray(given.plans);

/** Not by `instanceof`: an extension outside this repository has its own copy of the class. */
function problemsOf(error: Error): readonly string[] | null {
  return error.name === 'CatalogError' && 'problems' in error ? (error.problems as readonly string[]) : null;
}

/** As a person in this folder would write it. */
function shown(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') ? file : path;
}

/** `:4:13`, as Node gives it: a frame of the stack, or the source line with a caret below it. */
function positionOf(file: string, { name, stack = '' }: Error): string {
  const found = positionIn(file, stack);
  if (found !== '' || name !== 'SyntaxError') return found;
  // Node keeps the position of plain JavaScript's syntax errors to itself, except here.
  return positionIn(file, spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' }).stderr);
}

function positionIn(file: string, text: string): string {
  const at = text.lastIndexOf(`${file}:`);
  const after = at < 0 ? '' : text.slice(at + file.length);
  const [, line, column] = /^:(\d+)(?::(\d+))?/.exec(after) ?? [];
  if (line === undefined) return '';
  const caret = /^ *(?=\^)/m.exec(after)?.[0].length;
  const from = column ?? (caret === undefined ? undefined : caret + 1);
  return `:${line}${from === undefined ? '' : `:${from}`}`;
}
