import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const SOURCE = fileURLToPath(new URL('../src', import.meta.url));
const EXPORTS = join(SOURCE, 'exports');

/** A script that stands by itself, with all that it needs inside: for what loads one file and has no bundler. */
export interface Bundle {
  /** As in dist/, without its `.js`. */
  readonly name: string;
  /** `iife` is a classic script: for workers that are no modules, and for content scripts. */
  readonly format: 'es' | 'iife';
  /** Components are in it: on Preact, without a style sheet beside it. */
  readonly isOnPreact?: true;
}

export const BUNDLES: readonly Bundle[] = [
  { name: 'background', format: 'es' },
  { name: 'background.classic', format: 'iife' },
  { name: 'content.classic', format: 'iife' },
  { name: 'elements', format: 'es', isOnPreact: true },
];

/** The file in exports/ that lists what a door gives. */
export const entryOf = (name: string): string => join(EXPORTS, `${name}.ts`);

/** The doors that share what they have in common, such as the one store of a page, by their name in dist/. */
export function sharedDoors(): Record<string, string> {
  const bundled = new Set(BUNDLES.map(({ name }) => name));
  const names = readdirSync(EXPORTS).map((file) => file.replace(/\.ts$/, ''));
  const shared = names.filter((name) => !bundled.has(name)).map((name) => [name, entryOf(name)]);
  return Object.fromEntries(shared);
}
