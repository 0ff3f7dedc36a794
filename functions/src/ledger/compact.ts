import { isDeepStrictEqual } from 'node:util';
import type { Millis } from '@extension-billing/contract/customer';
import { readLedgerEntry } from '@extension-billing/contract/ledger';
import {
  encodeRolled,
  type PageRange,
  pageIdOf,
  ROLLED_ID,
  type RolledEntry,
  readRolled,
} from '@extension-billing/contract/ledger-pages';
import { MIN_LEDGER_DAYS } from '@extension-billing/contract/usage';
import {
  type DocumentSnapshot,
  FieldPath,
  type Firestore,
  Timestamp,
  type Transaction,
} from 'firebase-admin/firestore';
import { paths, toEntryDocument, toTimestamp, type Uid } from '../store/documents.ts';
import { transact } from '../store/transact.ts';
import { packPages, pageIn, toPageDocument, unpackPage } from './pages.ts';
import {
  byMonth,
  decideRoll,
  endsAskedFor,
  type FoundEntry,
  inOrder,
  lastPageOf,
  type Place,
  type Roll,
  rollBefore,
  rollInto,
} from './roll.ts';

// How old entries of a ledger come into its pages: in one transaction for some hundred entries.

/** Entries that one transaction looks at: each that goes is a write of it. */
const BATCH = 400;
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
 * Rolls a user's entries from before an instant into pages. In each of its transactions entries go, the pages of their
 * months get them, and the entry `rolled` takes over what they moved: so the ledger adds up to the record at each
 * instant, wherever this is interrupted, and whatever else is written. The record is not touched.
 *
 * @throws RangeError where `before` is not `MIN_LEDGER_DAYS` before `now`: keys are promised to hold so long
 */
export async function compactLedger(
  firestore: Firestore,
  uid: Uid,
  before: Millis,
  now: Millis,
): Promise<Compacted> {
  if (!(before <= (rollBefore(now, MIN_LEDGER_DAYS) ?? 0))) throw new RangeError('entries are kept longer');
  let done: Compacted = { rolled: 0, dropped: 0, pages: 0 };
  let after: Seen | null = null;
  // In a later batch what had to wait is passed over already.
  let hasWaited = false;
  for (;;) {
    const asked: Asked = { before, after, mayMark: !hasWaited };
    const batch: Batch = await transact(firestore, (transaction) =>
      rollBatch(transaction, firestore, uid, asked),
    );
    const { rolled, dropped, pages } = batch.compacted;
    done = { rolled: done.rolled + rolled, dropped: done.dropped + dropped, pages: done.pages + pages };
    if (batch.last === null) return done;
    after = batch.last;
    hasWaited ||= batch.hasWaited;
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
  /** Whether what is passed over needs never be looked at again. */
  readonly mayMark: boolean;
}

interface Batch {
  readonly compacted: Compacted;
  /** Null where nothing is left to look at. */
  readonly last: Seen | null;
  readonly hasWaited: boolean;
}

const NOTHING: Compacted = { rolled: 0, dropped: 0, pages: 0 };

async function rollBatch(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  { before, after, mayMark }: Asked,
): Promise<Batch> {
  const entryOf = (id: string) => paths.entry(firestore, uid, id);
  const standing = await transaction.get(entryOf(ROLLED_ID));
  const known = readRolled(standing.data());
  // A ledger from elsewhere has an entry of this name: it stays as it is, whole.
  if (standing.exists && known === null) return { compacted: NOTHING, last: null, hasWaited: false };

  const start = after ?? seenOf(known);
  const oldest = paths
    .ledger(firestore, uid)
    .where('createdAt', '<', toTimestamp(before))
    .orderBy('createdAt')
    .orderBy(FieldPath.documentId())
    .limit(BATCH);
  const { docs } = await transaction.get(start === null ? oldest : oldest.startAfter(start.at, start.id));
  const found = docs.map(foundIn);
  const asked = endsAskedFor(found);
  const ends = asked.length === 0 ? [] : await transaction.getAll(...asked.map(entryOf));
  const roll = decideRoll(found, ends.filter(({ exists }) => exists).map(foundIn), before);
  const through = mayMark ? roll.through : null;

  const isWorthIt = roll.rolled.length + roll.dropped.length > 0 || found.length >= WORTH_A_WRITE;
  const written = await addToPages(transaction, firestore, uid, known, roll);
  for (const { id } of roll.rolled) transaction.delete(entryOf(id));
  for (const id of roll.dropped) transaction.delete(entryOf(id));
  if (isWorthIt && (roll.rolled.length > 0 || through !== null)) {
    const rolled = rollInto(known, { rolled: roll.rolled, pages: written, through });
    transaction.set(entryOf(ROLLED_ID), encodeRolled(rolled, toTimestamp));
  }
  return {
    compacted: { rolled: roll.rolled.length, dropped: roll.dropped.length, pages: written.length },
    last: docs.length < BATCH ? null : lastOf(docs),
    hasWaited: isBehind(roll.through, found),
  };
}

/** Writes the entries into the pages of their months: the newest page of each while it has room, then another. */
async function addToPages(
  transaction: Transaction,
  firestore: Firestore,
  uid: Uid,
  known: RolledEntry | null,
  { rolled }: Pick<Roll, 'rolled'>,
): Promise<readonly PageRange[]> {
  const months = [...byMonth(rolled)].map(([month, entries]) => ({
    month,
    entries,
    last: lastPageOf(month, known?.pages ?? []),
  }));
  const refs = months.flatMap(({ last }) =>
    last === null ? [] : [paths.ledgerPage(firestore, uid, last.id)],
  );
  const snapshots = refs.length === 0 ? [] : await transaction.getAll(...refs);
  const pageOf = new Map(snapshots.map((snapshot) => [snapshot.ref.id, pageIn(snapshot)]));
  const written: PageRange[] = [];
  for (const { month, entries, last } of months) {
    const page = last === null ? undefined : pageOf.get(last.id);
    const whole = page === undefined ? [] : packPages(inOrder([...unpackPage(page), ...entries]));
    const isAdded = last !== null && whole.length === 1;
    const pages = isAdded ? whole : packPages(entries);
    const first = isAdded ? last.part : (last?.part ?? 0) + 1;
    for (const [index, each] of pages.entries()) {
      const id = pageIdOf(month, first + index);
      transaction.set(paths.ledgerPage(firestore, uid, id), toPageDocument(each));
      written.push({ id, from: each.from, to: each.to });
    }
  }
  return written;
}

/** An entry as far as it may be rolled: what it says has to be all that its document says. */
function foundIn(snapshot: DocumentSnapshot): FoundEntry {
  const data = snapshot.data() ?? {};
  const at = data.createdAt instanceof Timestamp ? data.createdAt.toMillis() : 0;
  const entry = readLedgerEntry(snapshot.id, data);
  const isWhole = entry !== null && isDeepStrictEqual(toEntryDocument(entry), data);
  return { at, id: snapshot.id, entry: isWhole ? entry : null };
}

function seenOf(known: RolledEntry | null): Seen | null {
  return known === null ? null : { at: toTimestamp(known.through.at), id: known.through.id };
}

function lastOf(docs: readonly DocumentSnapshot[]): Seen | null {
  const last = docs.at(-1);
  const at: unknown = last?.get('createdAt');
  return last !== undefined && at instanceof Timestamp ? { at, id: last.id } : null;
}

/** Whether something before the last one has to be looked at again. */
function isBehind(through: Place | null, found: readonly FoundEntry[]): boolean {
  const last = found.at(-1);
  return last !== undefined && through?.id !== last.id;
}
