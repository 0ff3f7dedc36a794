import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import type { Client } from './change.ts';
import { parseJson } from './edits/json.ts';
import { PACKAGES, packagePath } from './edits/package.ts';
import { type Listing, LOCK_FILES } from './extension.ts';
import { JOURNAL, Journal } from './journal.ts';

/** What is never the owner's source: installed, built, or hidden. */
const LEFT_OUT = /^(?:node_modules|dist|build|out|release|coverage|\..+)$/;
const DEPTH = 8;

/** A folder as it is now. Texts are read when they are asked for. */
export function listFolder(folder: string): Listing {
  return {
    paths: walk(folder, '', DEPTH).toSorted(),
    text: (path) => readText(join(folder, path)),
    lockAbove: lockAbove(folder),
  };
}

/** Without that of bun's which is no text: an undo could not bring it back. */
const LOCKS = Object.keys(LOCK_FILES).filter((name) => name !== 'bun.lockb');

/** A lock file above is this folder's where it is a workspace's, and none where it only lies on the way to the root. */
function lockAbove(folder: string): string | null {
  let way = '';
  for (let above = folder; dirname(above) !== above; ) {
    above = dirname(above);
    way += '../';
    const lock = LOCKS.find((name) => existsSync(join(above, name)));
    if (lock !== undefined && isWorkspace(above)) return way + lock;
  }
  return null;
}

function isWorkspace(folder: string): boolean {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return true;
  const packageJson = parseJson(readText(join(folder, 'package.json')) ?? '');
  return typeof packageJson === 'object' && packageJson !== null && 'workspaces' in packageJson;
}

function walk(folder: string, inside: string, depth: number): readonly string[] {
  return readdirSync(join(folder, inside), { withFileTypes: true }).flatMap((entry) => {
    const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
    if (entry.isFile()) return [path];
    return entry.isDirectory() && !LEFT_OUT.test(entry.name) && depth > 0
      ? walk(folder, path, depth - 1)
      : [];
  });
}

/** Null where there is no such file, or where its bytes are not those of a text: then nobody edits it here. */
export function readText(file: string): string | null {
  if (!existsSync(file)) return null;
  const bytes = readFileSync(file);
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null;
}

/** The part of a path that is a link, so that what is written there lands somewhere else; null where none is. */
export function linkIn(folder: string, path: string): string | null {
  const parts = path.split('/');
  const all = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const isLink = (part: string): boolean =>
    lstatSync(join(folder, part), { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  return all.find(isLink) ?? null;
}

export function writeText(folder: string, path: string, text: string): void {
  const file = join(folder, ...path.split('/'));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Puts the package into the extension's folder, from which the package manager installs it. */
export function writePackage(folder: string, client: Client): void {
  const file = join(folder, packagePath(client));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, client.tarball);
}

export function removePackages(folder: string): void {
  const own = join(folder, PACKAGES);
  if (!existsSync(own)) return;
  for (const name of readdirSync(own)) if (name.endsWith('.tgz')) removeFile(folder, `${PACKAGES}/${name}`);
}

/** Removes a file, and the folders that are empty without it. */
export function removeFile(folder: string, path: string): void {
  rmSync(join(folder, path));
  let above = dirname(join(folder, path));
  while (above.startsWith(folder + sep) && readdirSync(above).length === 0) {
    rmdirSync(above);
    above = dirname(above);
  }
}

/** The texts of before: apart from the journal, which people read, and packed, since a lock file may be long. */
const BEFORE = `${PACKAGES}/before.json.gz`;
const Before = v.record(v.string(), v.nullable(v.string()));
const ABOUT =
  'Written by billing init. Commit this folder: package.json names the package in it, and init --undo reads the rest.';

/** @throws Error if there is a journal that can't be read */
export function readJournal(folder: string): Journal | null {
  const text = readText(join(folder, JOURNAL));
  if (text === null) return null;
  const parsed = parseJson(text);
  const packed = join(folder, BEFORE);
  if (!existsSync(packed))
    throw new Error(`${BEFORE} is gone. It says how your files were: bring it back first.`);
  const before = v.parse(Before, parseJson(gunzipSync(readFileSync(packed)).toString()));
  const journal = v.safeParse(
    v.pipe(
      JournalFile,
      v.transform(({ about: _, files, ...rest }) => ({
        ...rest,
        files: files.map((file) => ({ ...file, before: before[file.path] ?? null })),
      })),
      Journal,
    ),
    parsed,
  );
  if (!journal.success)
    throw new Error(`${JOURNAL} was changed by hand, or is of a newer version of the package.`);
  return journal.output;
}

const JournalFile = v.strictObject({
  about: v.string(),
  version: v.unknown(),
  client: v.unknown(),
  files: v.array(v.strictObject({ path: v.string(), after: v.string() })),
});

export function writeJournal(folder: string, { files, ...rest }: Journal): void {
  const before = Object.fromEntries(files.map((file) => [file.path, file.before]));
  const lean = files.map(({ path, after }) => ({ path, after }));
  writeText(folder, JOURNAL, `${JSON.stringify({ about: ABOUT, ...rest, files: lean }, null, 2)}\n`);
  writeFileSync(join(folder, BEFORE), gzipSync(JSON.stringify(before)));
}

export function removeJournal(folder: string): void {
  for (const path of [BEFORE, JOURNAL]) removeFile(folder, path);
}
