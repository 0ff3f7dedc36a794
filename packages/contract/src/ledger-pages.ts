import * as v from 'valibot';
import type { Millis } from './customer.ts';
import { encodeEntry, isRollable, type RollableEntry, readLedgerEntry } from './ledger.ts';
import { encoderOf, Instant, type Output, read } from './schema.ts';

/**
 * Where old entries of a ledger are kept: one entry that stands for their deltas, so that the sum over the ledger is right
 * at each instant, with the newest of them in it; and pages, once they are many
 * (docs/decisions/ledger.md#old-entries-are-compacted-into-pages).
 */

/** The id of the entry that took over what the rolled entries moved. */
export const ROLLED_ID = 'rolled';

const Credits = v.number();
/** Entries as `packEntries` makes them (functions/src/ledger/pages.ts); empty where there are none. */
const Packed = v.instance(Uint8Array);

/** The pages, whose ids are `1`, `2`, …: an item for each, in that order. One that is there only ever gets more entries. */
const Pages = v.object({
  /** Entries in all of them. */
  count: v.number(),
  /** The first instant that it has entries of, and the last: two pages may overlap. */
  from: v.array(Instant),
  to: v.array(Instant),
});
export type Pages = Output<typeof Pages>;

/**
 * `customers/{uid}/credit_ledger/rolled`. It has no `createdAt`: no query by time finds it. There is none where nothing
 * was rolled. Most users have no other document of old entries, so it holds no field that it can do without.
 */
const RolledEntry = v.object({
  deltaAllowance: Credits,
  deltaPack: Credits,
  /** Entries that are in no page. */
  open: Packed,
  /** Whatever is older stays. Absent where it is the newest rolled entry whose time says so. */
  through: v.optional(Instant),
  /** Absent where there are none. */
  pages: v.optional(Pages),
});
export type RolledEntry = Output<typeof RolledEntry>;

/** Null where the document is none: a ledger from elsewhere may have an entry of this name. */
export function readRolled(data: Readonly<Record<string, unknown>> | undefined): RolledEntry | null {
  return read(RolledEntry, data);
}

export const encodeRolled = encoderOf(RolledEntry);

/** `customers/{uid}/ledger_pages/{number}`. */
const LedgerPage = v.object({ entries: Packed });
export type LedgerPage = Output<typeof LedgerPage>;

export function readLedgerPage(data: Readonly<Record<string, unknown>> | undefined): LedgerPage | null {
  return read(LedgerPage, data);
}

type Row = Readonly<Record<string, unknown>>;
type Columns = Record<string, unknown[]>;

/** Times are told from here on, which takes fewer digits. */
const FIRST: Millis = Date.UTC(2026, 0, 1);
/** The order of the columns: what is often the same of all consumes side by side, and what differs behind it. */
const FIELDS = ['id', 'kind', 'feature', 'cost', 'outcome', 'deltaAllowance', 'deltaPack', 'packCredits'];

/**
 * Entries as text that compresses well: a column for each field, null where an entry has none, and of their times the
 * steps from one to the next.
 */
export function writeEntries(entries: readonly RollableEntry[]): string {
  const rows = entries.map((entry): Row => ({ id: entry.id, ...encodeEntry(entry, (millis) => millis) }));
  const columns: Columns = {};
  for (const field of new Set([...FIELDS, ...rows.flatMap(Object.keys)])) {
    const values = rows.map((row) => row[field] ?? null);
    if (values.some((value) => value !== null)) columns[field] = values;
  }
  const { createdAt: _, ...others } = columns;
  const steps = entries.map(({ createdAt }, at) => createdAt - (entries[at - 1]?.createdAt ?? FIRST));
  return JSON.stringify({ ...others, createdAt: steps });
}

/** A column for each other field, too: its values are read as those of an entry. */
const Written = v.looseObject({ id: v.array(v.string()), createdAt: v.array(v.number()) });

/** From `from` on, and before `to`. */
export interface TimeRange {
  readonly from: Millis;
  readonly to: Millis;
}

export const ALL_TIME: TimeRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Which of the entries are wanted: those of a range that a test lets through, and of these the newest. */
export interface Wanted extends TimeRange {
  readonly isWanted?: (place: Pick<RollableEntry, 'id' | 'createdAt'>) => boolean;
  readonly newest?: number;
}

/**
 * The entries in what `writeEntries` made that are wanted, in their order. The others take no more than to be passed over.
 *
 * @throws where it is none of that
 */
export function readEntries(
  text: string,
  { from, to, isWanted = () => true, newest = Number.POSITIVE_INFINITY }: Wanted,
): readonly RollableEntry[] {
  const columns = v.parse(Written, JSON.parse(text));
  const found: { readonly at: number; readonly createdAt: Millis }[] = [];
  let createdAt = FIRST;
  for (const [at, step] of columns.createdAt.entries()) {
    createdAt += step;
    if (createdAt < from || createdAt >= to) continue;
    if (isWanted({ id: columns.id[at] ?? '', createdAt })) found.push({ at, createdAt });
  }
  const wanted = found.slice(Math.max(0, found.length - newest));
  return wanted.map((each) => entryOf(columns, each.at, each.createdAt));
}

function entryOf(columns: v.InferOutput<typeof Written>, at: number, createdAt: Millis): RollableEntry {
  const row: Record<string, unknown> = {};
  for (const [field, values] of Object.entries(columns)) {
    const value: unknown = Array.isArray(values) ? values[at] : undefined;
    if (value !== null && value !== undefined) row[field] = value;
  }
  const { id, expiresAt, ...fields } = row;
  const ends = typeof expiresAt === 'number' && { expiresAt: stampOf(expiresAt) };
  const entry = readLedgerEntry(String(id), { ...fields, ...ends, createdAt: stampOf(createdAt) });
  if (entry === null || !isRollable(entry))
    throw new Error('a page of a ledger holds what is no entry of it');
  return entry;
}

function stampOf(millis: Millis) {
  return { toMillis: () => millis };
}
