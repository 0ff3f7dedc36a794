import { parseUid } from '../../../../functions/src/store/documents.ts';
import { SOURCES, type Source } from './person.ts';

// What an import writes onto Stripe's objects: the metadata that checkout would have written, and a mark that says which
// of its keys are new. The mark is all that taking it back needs: no file on somebody's machine does.

/** The metadata key of the mark. */
const MARK = 'imported_from';

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
 * the catalogue or `--map` is another one now: who has something keeps what was sold to them. To map anew, undo first.
 */
export function tag(present: Metadata, wanted: Metadata, source: Source): Tagging {
  const isTaken = ([key, value]: readonly [string, string]) => (present[key] ?? value) !== value;
  const named = Object.entries(wanted).filter(([key]) => key === 'uid' || key === 'project');
  const isHere = present.project !== undefined && named.every(([key, value]) => present[key] === value);
  if (sourceOf(present) !== null || isHere) {
    const other = named.find(isTaken);
    return other === undefined ? { kind: 'done' } : taken(present, other[0]);
  }
  const other = Object.entries(wanted).find(isTaken);
  if (other !== undefined) return taken(present, other[0]);
  const news = Object.entries(wanted).filter(([key, value]) => present[key] !== value);
  const keys = news.map(([key]) => key).sort();
  return { kind: 'tag', metadata: { ...Object.fromEntries(news), [MARK]: [source, ...keys].join(' ') } };
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
