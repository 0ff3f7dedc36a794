import { isDeepStrictEqual } from 'node:util';
import type { Millis } from '@extension-billing/contract/customer';
import { readLedgerEntry } from '@extension-billing/contract/ledger';
import {
  ALL_TIME,
  encodeRolled,
  ROLLED_ID,
  type RolledEntry,
  readRolled,
} from '@extension-billing/contract/ledger-pages';
import { MIN_LEDGER_DAYS } from '@extension-billing/contract/usage';
import {
  type DocumentSnapshot,
  FieldPath,
  type Firestore,
  type Query,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';
import { paths, toEntryDocument, toTimestamp, type Uid } from '../store/documents.ts';
import { transact } from '../store/transact.ts';
import { MAX_OPEN_BYTES, MAX_PAGE_BYTES, packEntries, packPages, pageIn, unpackEntries } from './pages.ts';
import {
  decideRoll,
  endsAskedFor,
  type FoundEntry,
  inOrder,
  pagesWith,
  type Roll,
  type RolledChange,
  rollBefore,
  rollInto,
} from './roll.ts';

// How old entries of a ledger come into its pages: in one transaction for some hundred entries.

/** Entries that one transaction looks at: each that goes is a write of it. */
const BATCH = 400;
/** What a ledger's old entries may take, before they are a page, and before there is another page. */
export interface PageSizes {
  readonly open: number;
  readonly page: number;
}
const SIZES: PageSizes = { open: MAX_OPEN_BYTES, page: MAX_PAGE_BYTES };

/** Entries that stay are remembered as seen where there are so many new ones; fewer are cheaper to look at again. */
const WORTH_A_WRITE = 10;

export interface Compacted {
  /** Entries that are in pages now, and were not. */
  readonly rolled: number;
  /** Refusals that were still there. */
  readonly dropped: number;
  /** Pages that were written. */
  readonly pages: number;
}

/**
 * Rolls a user's entries from before an instant. In each of its transactions entries go, and the entry `rolled` takes them
 * over with what they moved, or the last page does: so the ledger adds up to the record at each instant, wherever this is
 * interrupted, and whatever else is written. The record is not touched.
 *
 * @throws RangeError where `before` is not `MIN_LEDGER_DAYS` before `now`: keys are promised to hold so long
 */
export async function compactLedger(
  firestore: Firestore,
  uid: Uid,
  before: Millis,
  now: Millis,
  sizes: PageSizes = SIZES,
): Promise<Compacted> {
  if (!(before <= (rollBefore(now, MIN_LEDGER_DAYS) ?? 0))) throw new RangeError('entries are kept longer');
  let done: Compacted = { rolled: 0, dropped: 0, pages: 0 };
  let after: Seen | null = null;
  // In a later batch what had to wait is passed over already.
  let waitsFrom: Millis | null = null;
  for (;;) {
    const asked: Asked = { before, after, waitsFrom, sizes };
    const batch: Batch = await transact(firestore, (transaction) =>
      rollBatch(transaction, firestore, uid, asked),
    );
    const { rolled, dropped, pages } = batch.compacted;
    done = { rolled: done.rolled + rolled, dropped: done.dropped + dropped, pages: done.pages + pages };
    if (batch.last === null) return done;
    after = batch.last;
    waitsFrom = batch.waitsFrom;
  }
}

/** Where a look ended, as the database sorts. */
interface Seen {
  readonly at: Timestamp;
  readonly id: string;
}

interface Asked {
  readonly before: Millis;
  /** Where the batch before this one ended. */
  readonly after: Seen | null;
  /** The first in the batches before that had to wait. */
  readonly waitsFrom: Millis | null;
  readonly sizes: PageSizes;
}

interface Batch {
  readonly compacted: Compacted;
  /** Null where nothing is left to look at. */
  readonly last: Seen | null;
  /** The first that had to wait, up to here. */
  readonly waitsFrom: Millis | null;
}

const NOTHING: Compacted = { rolled: 0, dropped: 0, pages: 0 };

/** The entries from before an instant that no round has looked at, or that had to stay, the oldest first. */
export function oldEntries(firestore: Firestore, uid: Uid, known: RolledEntry | null, before: Millis): Query {
  return paths
    .ledger(firestore, uid)
    .where('createdAt', '>=', toTimestamp(seenThrough(known)))
    .where('createdAt', '<', toTimestamp(before))
    .orderBy('createdAt')
    .orderBy(FieldPath.documentId());
}

/** Up to where nothing is left to be done. A look that ended says so by the newest that it rolled, where it can. */
function seenThrough(known: RolledEntry | null): Millis {
  if (known?.through !== undefined) return known.through;
  const [newest] = unpackEntries(known?.open ?? new Uint8Array(), { ...ALL_TIME, newest: 1 });
  return (known?.pages?.to ?? []).reduce((a, b) => Math.max(a, b), newest?.createdAt ?? 0);
}

async function rollBatch(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  { before, after, waitsFrom: waited, sizes }: Asked,
): Promise<Batch> {
  const entryOf = (id: string) => paths.entry(firestore, uid, id);
  const standing = await transaction.get(entryOf(ROLLED_ID));
  const known = readRolled(standing.data());
  // A ledger from elsewhere has an entry of this name: it stays as it is, whole.
  if (standing.exists && known === null) return { compacted: NOTHING, last: null, waitsFrom: null };

  const old = oldEntries(firestore, uid, known, before).limit(BATCH);
  // Not in the transaction, which would lock the range: who rolls the same entries writes `rolled` too, and one of them is
  // aborted.
  const { docs } = await (after === null ? old : old.startAfter(after.at, after.id)).get();
  const last = docs.length < BATCH ? null : lastOf(docs);
  const found = docs.map(foundIn);
  const asked = endsAskedFor(found);
  const ends = asked.length === 0 ? [] : await transaction.getAll(...asked.map(entryOf));
  const roll = decideRoll(found, ends.filter(({ exists }) => exists).map(foundIn), before);
  const waitsFrom = waited ?? roll.waitsFrom;
  const isPlain = waitsFrom === null && last === null && roll.rolled.length > 0 && roll.behind === 0;
  const through = isPlain ? null : (waitsFrom ?? last?.at.toMillis() ?? before);

  const { open, pages, written } = await addEntries(transaction, firestore, uid, { known, roll, sizes });
  for (const { id } of roll.rolled) transaction.delete(entryOf(id), { exists: true });
  for (const id of roll.dropped) transaction.delete(entryOf(id));
  if (roll.rolled.length > 0 || (waited === null && roll.stays >= WORTH_A_WRITE)) {
    const rolled = rollInto(known, { rolled: roll.rolled, open, pages, through });
    transaction.set(entryOf(ROLLED_ID), encodeRolled(rolled, toTimestamp));
  }
  return {
    compacted: { rolled: roll.rolled.length, dropped: roll.dropped.length, pages: written },
    last,
    waitsFrom,
  };
}

interface Addition {
  readonly known: RolledEntry | null;
  readonly roll: Pick<Roll, 'rolled'>;
  readonly sizes: PageSizes;
}

/**
 * Where the entries are from now on: with the ones that are in no page while these are few; else all of them in the last
 * page while it has room, or in another.
 *
 * @returns how many pages are written
 */
async function addEntries(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  { known, roll: { rolled }, sizes }: Addition,
): Promise<Pick<RolledChange, 'open' | 'pages'> & { readonly written: number }> {
  const open = known?.open ?? new Uint8Array();
  if (rolled.length === 0) return { open, pages: known?.pages, written: 0 };
  const entries = inOrder([...unpackEntries(open), ...rolled]);
  const packed = packEntries(entries);
  if (packed.length <= sizes.open) return { open: packed, pages: known?.pages, written: 0 };

  const pageOf = (number: number) => paths.ledgerPage(firestore, uid, `${number}`);
  const last = known?.pages?.from.length ?? 0;
  const standing = last === 0 ? [] : unpackEntries(pageIn(await transaction.get(pageOf(last))).entries);
  const whole = last === 0 ? [] : packPages(inOrder([...standing, ...entries]), sizes.page);
  const isAdded = whole.length === 1;
  const packs = isAdded ? whole : packPages(entries, sizes.page);
  const first = isAdded ? last : last + 1;
  for (const [index, { bytes }] of packs.entries()) {
    transaction.set(pageOf(first + index), { entries: bytes });
  }
  const pages = pagesWith(
    known?.pages,
    first,
    packs.map((page) => page.entries),
    entries.length,
  );
  return { open: new Uint8Array(), pages, written: packs.length };
}

/** An entry as far as it may be rolled: what it says has to be all that its document says. */
function foundIn(snapshot: DocumentSnapshot): FoundEntry {
  const data = snapshot.data() ?? {};
  const at = data.createdAt instanceof Timestamp ? data.createdAt.toMillis() : 0;
  const entry = readLedgerEntry(snapshot.id, data);
  const isWhole = entry !== null && isDeepStrictEqual(toEntryDocument(entry), data);
  return { at, id: snapshot.id, entry: isWhole ? entry : null };
}

function lastOf(docs: readonly DocumentSnapshot[]): Seen | null {
  const last = docs.at(-1);
  const at: unknown = last?.get('createdAt');
  return last !== undefined && at instanceof Timestamp ? { at, id: last.id } : null;
}
