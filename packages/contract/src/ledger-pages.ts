import * as v from 'valibot';
import type { Millis } from './customer.ts';
import { encodeEntry, isRollable, type RollableEntry, readLedgerEntry } from './ledger.ts';
import { encoderOf, Instant, type Output, read } from './schema.ts';

/**
 * Where old entries of a ledger are kept: pages of a month, and one entry that says where and stands for their deltas,
 * so that the sum over the ledger is right at each instant (docs/decisions/0301-a-ledger-that-stays-small.md).
 */

/** The id, and the kind, of the entry that took over what the rolled entries moved. */
export const ROLLED_ID = 'rolled';

const Credits = v.number();

/** One page, and the time that its entries are from: first and last, both included. */
const PageRange = v.object({ id: v.string(), from: Instant, to: Instant });
export type PageRange = Output<typeof PageRange>;

/**
 * `customers/{uid}/credit_ledger/rolled`. It has no `createdAt`: no query by time finds it. There is none where nothing
 * was rolled.
 */
const RolledEntry = v.object({
  kind: v.literal(ROLLED_ID),
  deltaAllowance: Credits,
  deltaPack: Credits,
  /** Entries in all pages. */
  count: v.number(),
  /** Every entry up to here was looked at: what is left of them stays. */
  through: v.object({ at: Instant, id: v.string() }),
  pages: v.array(PageRange),
});
export type RolledEntry = Output<typeof RolledEntry>;

/** Null where the document is none: a ledger from elsewhere may have an entry of this name. */
export function readRolled(data: Readonly<Record<string, unknown>> | undefined): RolledEntry | null {
  return read(RolledEntry, data);
}

export const encodeRolled = encoderOf(RolledEntry);

/** The form of the entries in a page: how they are written, and compressed. */
export const PAGE_FORM = 1;

/** `customers/{uid}/ledger_pages/{YYYY-MM}`, its further parts `{YYYY-MM}-2` and on. */
const LedgerPage = v.object({
  form: v.number(),
  from: Instant,
  to: Instant,
  count: v.number(),
  deltaAllowance: Credits,
  deltaPack: Credits,
  /** What `writeEntries` made, compressed. */
  entries: v.instance(Uint8Array),
});
export type LedgerPage = Output<typeof LedgerPage>;

export function readLedgerPage(data: Readonly<Record<string, unknown>> | undefined): LedgerPage | null {
  return read(LedgerPage, data);
}

export const encodeLedgerPage = encoderOf(LedgerPage);

/** The month of an instant, in UTC: the id of its first page. */
export function monthOf(at: Millis): string {
  return new Date(at).toISOString().slice(0, 7);
}

/** The id of a month's page: the second is `2026-03-2`. */
export function pageIdOf(month: string, part: number): string {
  return part === 1 ? month : `${month}-${part}`;
}

/** The month that a page is of, and which part it is; null where no page has this id. */
export function pagePartOf(id: string): { readonly month: string; readonly part: number } | null {
  const [, month, part = '1'] = /^(\d{4}-\d{2})(?:-([1-9]\d*))?$/.exec(id) ?? [];
  return month === undefined ? null : { month, part: Number(part) };
}

type Row = Readonly<Record<string, unknown>>;
type Columns = Record<string, unknown[]>;

/**
 * Entries as text that compresses well: a column for each field, null where an entry has none, and of their times the
 * steps from one to the next.
 */
export function writeEntries(entries: readonly RollableEntry[]): string {
  const rows = entries.map((entry): Row => ({ id: entry.id, ...encodeEntry(entry, (millis) => millis) }));
  const columns: Columns = {};
  for (const field of new Set(rows.flatMap(Object.keys)))
    columns[field] = rows.map((row) => row[field] ?? null);
  columns.createdAt = entries.map(({ createdAt }, at) => createdAt - (entries[at - 1]?.createdAt ?? 0));
  return JSON.stringify(columns);
}

const Written = v.intersect([
  v.object({ id: v.array(v.string()), createdAt: v.array(v.number()) }),
  v.record(v.string(), v.array(v.unknown())),
]);

/** From `from` on, and before `to`. */
export interface TimeRange {
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The entries of a range in what `writeEntries` made, in their order.
 *
 * @throws where it is none of that
 */
export function readEntries(text: string, range: TimeRange): readonly RollableEntry[] {
  const columns = v.parse(Written, JSON.parse(text));
  const entries: RollableEntry[] = [];
  let createdAt = 0;
  for (const [at, step] of columns.createdAt.entries()) {
    createdAt += step;
    if (createdAt < range.from || createdAt >= range.to) continue;
    entries.push(entryOf(columns, at, createdAt));
  }
  return entries;
}

function entryOf(columns: v.InferOutput<typeof Written>, at: number, createdAt: Millis): RollableEntry {
  const row: Record<string, unknown> = {};
  for (const [field, values] of Object.entries(columns)) {
    const value = values[at];
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
