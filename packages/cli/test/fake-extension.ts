import type { Client } from '../src/init/change.ts';
import { detect } from '../src/init/detect.ts';
import type { Extension, Listing } from '../src/init/extension.ts';
import { type Journal, wroteLast } from '../src/init/journal.ts';
import { makePlan, type Plan } from '../src/init/plan.ts';

export type Files = Readonly<Record<string, string>>;

/** A folder that is on no disk. */
export function fakeListing(files: Files): Listing {
  return { paths: Object.keys(files).toSorted(), text: (path) => files[path] ?? null, lockAbove: null };
}

export const fakeClient: Client = {
  version: '1.0.0',
  tarball: new Uint8Array([1, 2, 3]),
  file: (name) => `the package's ${name}`,
};

/** @throws Error where it is no extension */
export function extensionOf(files: Files): Extension {
  const found = detect(fakeListing(files));
  if (!found.ok) throw new Error(found.why);
  return found.extension;
}

export const planOf = (files: Files, journal: Journal | null = null): Plan =>
  makePlan(extensionOf(files), fakeClient, wroteLast(journal));

/** The folder when a plan is done. */
export const afterwards = (files: Files, plan: Plan): Files => ({
  ...files,
  ...Object.fromEntries(plan.writes.map(({ path, after }) => [path, after])),
});
