import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { LOCK_FILES } from './extension.ts';
import type { Install, Write } from './plan.ts';

/** Where `init` keeps what it did, so that `--undo` can take it back. */
export const JOURNAL = '.extension-billing/init.json';

/** A lock file of the workspace above is the only one outside of the folder: a journal from elsewhere may name no other. */
const isLockAbove = (path: string): boolean => {
  const [, name = ''] = /^(?:\.\.\/)+([^/]+)$/.exec(path) ?? [];
  return Object.hasOwn(LOCK_FILES, name);
};
const isInside = (path: string): boolean =>
  !/^(?:\/|[A-Za-z]:)|\\/.test(path) && !path.split('/').some((part) => part === '..' || part === '');

const Entry = v.strictObject({
  path: v.pipe(
    v.string(),
    v.check((path) => isInside(path) || isLockAbove(path)),
  ),
  /** The file's text before the first run; null where there was none. */
  before: v.nullable(v.string()),
  /** The SHA-256 of the text that was written last, in hex. */
  after: v.string(),
});
export const Journal = v.strictObject({
  version: v.literal(1),
  /** Of the client that wrote it. */
  client: v.string(),
  files: v.array(Entry),
});
export type Journal = v.InferOutput<typeof Journal>;

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether a text is what an earlier run wrote into a file. */
export function wroteLast(journal: Journal | null): (path: string, text: string) => boolean {
  return (path, text) =>
    journal?.files.some((file) => file.path === path && file.after === hashOf(text)) ?? false;
}

/**
 * The journal after a run: what was there before the first one stays what was there. What the owner wrote into a file
 * between two runs is in neither: its entry stays that of the first, so that an undo refuses instead of losing it.
 */
export function record(
  journal: Journal | null,
  client: string,
  writes: readonly Pick<Write, 'path' | 'before' | 'after'>[],
): Journal {
  const files = new Map(journal?.files.map((file) => [file.path, file]));
  for (const { path, before, after } of writes) {
    const first = files.get(path);
    const isOwners =
      before !== null && first !== undefined && hashOf(before) !== first.after && before !== first.before;
    if (isOwners) continue;
    files.set(path, { path, before: first === undefined ? before : first.before, after: hashOf(after) });
  }
  return { version: 1, client, files: [...files.values()] };
}

/** What `--undo` does: each file as it was; or nothing at all, where somebody edited one of the owner's files since. */
export type Undo =
  | {
      readonly ok: true;
      readonly restore: readonly { readonly path: string; readonly text: string }[];
      readonly remove: readonly string[];
      /** New files that were edited since: they stay. */
      readonly kept: readonly string[];
    }
  | { readonly ok: false; readonly edited: readonly string[] };

/**
 * A file of the owner's that was edited since is never overwritten, and then nothing else is taken back either: what is
 * left of billing in it would name files that are gone.
 *
 * @param text of a file as it is now; null where there is none
 */
export function planUndo({ files }: Journal, text: (path: string) => string | null): Undo {
  const isAsWritten = ({ path, after }: Journal['files'][number]): boolean => {
    const now = text(path);
    return now !== null && hashOf(now) === after;
  };
  const edited = files.filter(
    (file) => file.before !== null && !isAsWritten(file) && text(file.path) !== file.before,
  );
  if (edited.length > 0) return { ok: false, edited: edited.map(({ path }) => path) };
  const created = files.filter(({ before, path }) => before === null && text(path) !== null);
  return {
    ok: true,
    restore: files.flatMap(({ path, before }) => (before === null ? [] : [{ path, text: before }])),
    remove: created.filter(isAsWritten).map(({ path }) => path),
    kept: created.filter((file) => !isAsWritten(file)).map(({ path }) => path),
  };
}

/** What an install changes besides node_modules, as far as it is there. */
export function touchedBy(
  install: Install | null,
  text: (path: string) => string | null,
): readonly { readonly path: string; readonly before: string | null }[] {
  return (install?.touches ?? []).map((path) => ({ path, before: text(path) }));
}
