import type { Millis } from '@extension-billing/contract/customer';
import type { RollableEntry } from '@extension-billing/contract/ledger';
import {
  type PageRange,
  ROLLED_ID,
  readRolled,
  type TimeRange,
} from '@extension-billing/contract/ledger-pages';
import {
  type DocumentData,
  type DocumentSnapshot,
  type Firestore,
  Timestamp,
} from 'firebase-admin/firestore';
import { paths, toEntryDocument, type Uid } from '../store/documents.ts';
import { ALL_TIME, pageIn, unpackPage } from './pages.ts';

// A ledger as it was before its old entries were rolled into pages: for whoever looks that far back.

/** An entry as it lies, or lay, in the ledger. */
export interface LedgerDocument {
  readonly id: string;
  readonly createdAt: Millis;
  readonly data: DocumentData;
}

/**
 * The newest entries of a range, newest first: of what was found in the ledger, and of its pages as few as that takes.
 *
 * @param found the newest of the range that the ledger has, newest first. It is asked before this is called: what is
 *   rolled in between is in both, and comes once
 * @param isWanted of the entries in pages; the ledger's are what they are
 */
export async function withRolled(
  firestore: Firestore,
  uid: Uid,
  range: TimeRange,
  limit: number,
  found: readonly LedgerDocument[],
  isWanted: (place: Pick<LedgerDocument, 'id' | 'createdAt'>) => boolean = () => true,
): Promise<readonly LedgerDocument[]> {
  let newest = found.slice(0, limit);
  for (const page of (await pagesOf(firestore, uid, range)).toReversed()) {
    const last = newest[limit - 1];
    if (last !== undefined && page.to < last.createdAt) break;
    const entries = (await entriesOf(firestore, uid, page, range)).filter(isWanted);
    const all = new Map([...entries.map(documentOf), ...newest].map((each) => [placeOf(each), each]));
    newest = [...all.values()].sort(newestFirst).slice(0, limit);
  }
  return newest;
}

/**
 * The entries of a range that were rolled, a page at a time, oldest page first. An entry that is rolled while a ledger
 * is read may be found in both.
 */
export async function* rolledEntries(
  firestore: Firestore,
  uid: Uid,
  range: TimeRange = ALL_TIME,
): AsyncGenerator<readonly LedgerDocument[]> {
  for (const page of await pagesOf(firestore, uid, range)) {
    yield (await entriesOf(firestore, uid, page, range)).map(documentOf);
  }
}

/** The pages that may have entries of a range, by their newest entry, oldest first. */
async function pagesOf(
  firestore: Firestore,
  uid: Uid,
  { from, to }: TimeRange,
): Promise<readonly PageRange[]> {
  const rolled = readRolled((await paths.entry(firestore, uid, ROLLED_ID).get()).data());
  const pages = (rolled?.pages ?? []).filter((page) => page.to >= from && page.from < to);
  return pages.toSorted((a, b) => a.to - b.to || a.from - b.from);
}

async function entriesOf(
  firestore: Firestore,
  uid: Uid,
  { id }: PageRange,
  range: TimeRange,
): Promise<readonly RollableEntry[]> {
  return unpackPage(pageIn(await paths.ledgerPage(firestore, uid, id).get()), range);
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
