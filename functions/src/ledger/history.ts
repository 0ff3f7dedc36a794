import type { Millis } from '@extension-billing/contract/customer';
import type { RollableEntry } from '@extension-billing/contract/ledger';
import {
  ALL_TIME,
  ROLLED_ID,
  type RolledEntry,
  readRolled,
  type TimeRange,
  type Wanted,
} from '@extension-billing/contract/ledger-pages';
import {
  type DocumentData,
  type DocumentSnapshot,
  type Firestore,
  Timestamp,
} from 'firebase-admin/firestore';
import { paths, toEntryDocument, type Uid } from '../store/documents.ts';
import { pageIn, unpackEntries } from './pages.ts';
import { inOrder } from './roll.ts';

// A ledger as it was before its old entries were rolled: for whoever looks that far back.

/** An entry as it lies, or lay, in the ledger. */
export interface LedgerDocument {
  readonly id: string;
  readonly createdAt: Millis;
  readonly data: DocumentData;
}

/**
 * The newest entries of a range, newest first: of what was found in the ledger, of the rolled ones that are in no page, and
 * of its pages as few as that takes.
 *
 * @param found the newest of the range that the ledger has, newest first. It is asked before this is called: what is
 *   rolled in between is in both, and comes once
 * @param isWanted of the rolled ones; the ledger's are what they are
 */
export async function withRolled(
  firestore: Firestore,
  uid: Uid,
  range: TimeRange,
  limit: number,
  found: readonly LedgerDocument[],
  isWanted: (place: Pick<LedgerDocument, 'id' | 'createdAt'>) => boolean = () => true,
): Promise<readonly LedgerDocument[]> {
  const rolled = await standingOf(firestore, uid);
  if (rolled === null) return found.slice(0, limit);
  const wanted: Wanted = { ...range, isWanted, newest: limit };
  let newest = newestOf(found, unpackEntries(rolled.open, wanted), limit);
  for (const page of pagesIn(rolled, range).toSorted((a, b) => b.to - a.to || b.from - a.from)) {
    const last = newest[limit - 1];
    if (last !== undefined && page.to < last.createdAt) break;
    newest = newestOf(newest, await entriesOf(firestore, uid, page, wanted), limit);
  }
  return newest;
}

function newestOf(
  found: readonly LedgerDocument[],
  rolled: readonly RollableEntry[],
  limit: number,
): readonly LedgerDocument[] {
  const all = new Map([...rolled.map(documentOf), ...found].map((each) => [placeOf(each), each]));
  return [...all.values()].sort(newestFirst).slice(0, limit);
}

/**
 * The entries of a range that were rolled, in their order, some at a time: as many as are in a page and in those that
 * overlap with it. An entry that is rolled while a ledger is read may be found in both.
 */
export async function* rolledEntries(
  firestore: Firestore,
  uid: Uid,
  range: TimeRange = ALL_TIME,
): AsyncGenerator<readonly LedgerDocument[]> {
  const rolled = await standingOf(firestore, uid);
  if (rolled === null) return;
  let waiting = unpackEntries(rolled.open, range);
  for (const page of pagesIn(rolled, range).toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    // Nothing that is still to come is older than this page's first.
    yield waiting.filter(({ createdAt }) => createdAt < page.from).map(documentOf);
    const later = waiting.filter(({ createdAt }) => createdAt >= page.from);
    const all = new Map(
      [...(await entriesOf(firestore, uid, page, range)), ...later].map((each) => [placeOf(each), each]),
    );
    waiting = inOrder([...all.values()]);
  }
  yield waiting.map(documentOf);
}

interface PageRange {
  readonly number: number;
  readonly from: Millis;
  readonly to: Millis;
}

/** The pages that may have entries of a range. */
function pagesIn({ pages }: RolledEntry, { from, to }: TimeRange): readonly PageRange[] {
  const all = (pages?.from ?? []).map((first, at) => ({
    number: at + 1,
    from: first,
    to: pages?.to[at] ?? first,
  }));
  return all.filter((page) => page.to >= from && page.from < to);
}

async function standingOf(firestore: Firestore, uid: Uid): Promise<RolledEntry | null> {
  return readRolled((await paths.entry(firestore, uid, ROLLED_ID).get()).data());
}

/** How many entries were rolled. It rises with each that is. */
export async function countRolled(firestore: Firestore, uid: Uid): Promise<number> {
  const rolled = await standingOf(firestore, uid);
  return rolled === null ? 0 : (rolled.pages?.count ?? 0) + unpackEntries(rolled.open).length;
}

async function entriesOf(
  firestore: Firestore,
  uid: Uid,
  { number }: PageRange,
  wanted: Wanted,
): Promise<readonly RollableEntry[]> {
  const page = pageIn(await paths.ledgerPage(firestore, uid, `${number}`).get());
  return unpackEntries(page.entries, wanted);
}

/** What parts the entries of a ledger: a key that was rolled can be used again, and then two entries have its id. */
export function placeOf({ id, createdAt }: Pick<LedgerDocument, 'id' | 'createdAt'>): string {
  return `${createdAt} ${id}`;
}

function documentOf(entry: RollableEntry): LedgerDocument {
  return { id: entry.id, createdAt: entry.createdAt, data: toEntryDocument(entry) };
}

/** A document of the ledger, with 0 where it has no time. */
export function ledgerDocument(snapshot: DocumentSnapshot): LedgerDocument {
  const data = snapshot.data() ?? {};
  const at: unknown = data.createdAt;
  return { id: snapshot.id, createdAt: at instanceof Timestamp ? at.toMillis() : 0, data };
}

function newestFirst(a: LedgerDocument, b: LedgerDocument): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt;
  return a.id < b.id ? 1 : -1;
}
