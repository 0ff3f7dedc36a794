import { parseUid } from '../../../../functions/src/store/documents.ts';
import { IMPORT_MARK as MARK, SEAL_KEY } from '../../../../functions/src/stripe/fields.ts';
import { SOURCES, type Source } from './person.ts';

// What an import writes onto Stripe's objects: the metadata that checkout would have written, and a mark that says which
// of its keys are new. The mark is all that taking it back needs: no file on somebody's machine does.

type Metadata = Readonly<Record<string, string>>;

/** What is to be written onto one object. */
export type Tagging =
  | { readonly kind: 'tag'; readonly metadata: Metadata }
  /** An import wrote it before, or it was sold here. */
  | { readonly kind: 'done' }
  /** The object says something else under a key that this service writes. */
  | { readonly kind: 'taken'; readonly key: string; readonly value: string };

/**
 * How an object's metadata has to change so that it says `wanted`. What an import wrote before stays as it is, also where
 * the catalogue or `--map` is another one now: who has something keeps what was sold to them. To map anew, undo first; what
 * was spent stays spent. A subscription that was changed to another price at the source is imported anew.
 */
export function tag(present: Metadata, wanted: Metadata, source: Source): Tagging {
  const isTaken = ([key, value]: readonly [string, string]) =>
    key !== SEAL_KEY && (present[key] ?? value) !== value;
  const named = Object.entries(wanted).filter(([key]) => key === 'uid' || key === 'project');
  const isHere = present.project !== undefined && named.every(([key, value]) => present[key] === value);
  if (sourceOf(present) !== null || isHere) {
    const other = named.find(isTaken);
    if (other !== undefined) return taken(present, other[0]);
    const before = isMoved(present, wanted, source) ? withoutImport(present) : null;
    return before === null
      ? (sealed(present, wanted) ?? { kind: 'done' })
      : again(present, before, wanted, source);
  }
  const other = Object.entries(wanted).find(isTaken);
  if (other !== undefined) return taken(present, other[0]);
  const news = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  const keys = news.map(([key]) => key).sort();
  return { kind: 'tag', metadata: { ...Object.fromEntries(news), [MARK]: [source, ...keys].join(' ') } };
}

/** Whether a subscription was changed to another price at the source since it was imported. */
function isMoved(present: Metadata, wanted: Metadata, source: Source): boolean {
  return (
    sourceOf(present) === source &&
    wanted.kind === 'subscription' &&
    present.price_id !== undefined &&
    present.price_id !== wanted.price_id
  );
}

/** What an object said before it was imported. */
function withoutImport(present: Metadata): Metadata {
  const news = new Set([...keysOf(present), MARK]);
  return Object.fromEntries(Object.entries(present).filter(([key]) => !news.has(key)));
}

/** Imports anew, and takes off what only the earlier import wrote. */
function again(present: Metadata, before: Metadata, wanted: Metadata, source: Source): Tagging {
  const tagging = tag(before, wanted, source);
  return tagging.kind === 'tag'
    ? { kind: 'tag', metadata: { ...untag(present), ...tagging.metadata } }
    : tagging;
}

/** What an import of an earlier build wrote without a seal gets one, where it says what this one would write. */
function sealed(present: Metadata, { [SEAL_KEY]: seal, ...wanted }: Metadata): Tagging | null {
  const isSame = Object.entries(wanted).every(([key, value]) => present[key] === value);
  if (sourceOf(present) === null || !isSame || seal === undefined || present[SEAL_KEY] === seal) return null;
  const mark = [...new Set([...(present[MARK] ?? '').split(' '), SEAL_KEY])].join(' ');
  return { kind: 'tag', metadata: { [SEAL_KEY]: seal, [MARK]: mark } };
}

function taken(present: Metadata, key: string): Tagging {
  return { kind: 'taken', key, value: present[key] ?? '' };
}

/** Which source an object was taken over from; null where none. */
export function sourceOf(metadata: Metadata | null | undefined): Source | null {
  const [name] = (metadata?.[MARK] ?? '').split(' ');
  return SOURCES.find((source) => source === name) ?? null;
}

function keysOf(metadata: Metadata): readonly string[] {
  return (metadata[MARK] ?? '').split(' ').slice(1);
}

/** What takes the import's words off an object again: Stripe removes a key whose value is empty. */
export function untag(metadata: Metadata): Metadata {
  return Object.fromEntries([...keysOf(metadata), MARK].map((key) => [key, '']));
}

/** What makes an object one of this service's own: it keeps what it says, and no import has brought it. */
export function unmark(): Metadata {
  return { [MARK]: '' };
}

/** Whose an object is, as checkout or an import wrote it. */
export function ownerOf(metadata: Metadata | null | undefined) {
  return parseUid(metadata?.uid);
}
