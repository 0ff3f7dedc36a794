import {
  DEFAULT_USAGE_ENTRIES,
  MAX_USAGE_ENTRIES,
  UsageLimit,
  UsageQuery,
} from '@extension-billing/contract/api';
import type { Millis } from '@extension-billing/contract/customer';
import { readUsageEntry } from '@extension-billing/contract/ledger';
import { DAY, dayOf } from '@extension-billing/contract/time';
import type { UsageEntry, UsageResponse, UsageTotal } from '@extension-billing/contract/usage';
import type { Request, RequestHandler } from 'express';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest, sendJson } from '../http/answer.ts';
import { userOf } from '../http/authenticate.ts';
import { parseQuery } from '../http/body.ts';
import { logOf } from '../http/gates.ts';
import { isDocumentId, type Uid } from '../store/documents.ts';
import { queries } from '../store/queries.ts';

/** The longest id of a ledger entry is made of two ids of the provider's objects, or less. */
const LONGEST_ID = 500;

/**
 * GET /credits/usage: one page of the user's ledger, newest first, with what its entries spent by feature and day.
 * One query, whatever the ledger's length; a chart adds up the totals of its pages
 * (docs/decisions/ledger.md#usage-is-the-ledger-in-pages).
 */
export function usageRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const { from, to, cursor, limit } = parseQuery(UsageQuery, req.query);
    const range = parseUsageRange(from, to, deps.now());
    if (typeof range === 'string') throw new InvalidRequest(range);
    const after = cursor === undefined ? null : readCursor(cursor);
    const page = await readUsage(deps.firestore, userOf(res), range, readLimit(limit), after);
    logOf(res).info('usage_read', { entries: page.entries.length });
    sendJson(res, 200, {
      entries: page.entries,
      totals: totalsOf(page.entries),
      next: page.next === null ? null : writeCursor(page.next),
    } satisfies UsageResponse);
  };
}

/** What a request for usage costs, in ledger entries that may be read; one that is refused reads none. */
export function entriesAsked({ query }: Request): number {
  const { limit } = query;
  if (limit === undefined) return DEFAULT_USAGE_ENTRIES;
  return v.is(UsageLimit, Number(limit)) ? Number(limit) : 1;
}

function readLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_USAGE_ENTRIES;
  const count = /^\d{1,4}$/.test(limit) ? Number(limit) : Number.NaN;
  if (v.is(UsageLimit, count)) return count;
  throw new InvalidRequest(`limit: must be a whole number from 1 to ${MAX_USAGE_ENTRIES}.`);
}

function writeCursor({ createdAt, id }: UsagePlace): string {
  return Buffer.from(`${createdAt}:${id}`).toString('base64url');
}

function readCursor(cursor: string): UsagePlace {
  const [, at, id] = /^(\d{1,14}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at !== undefined && isDocumentId(id, LONGEST_ID)) return { createdAt: Number(at), id };
  throw new InvalidRequest('cursor: send the "next" of the page before, as it is.');
}

/** A year and a day, so that the same day of last year is in it. */
const LONGEST: Millis = 367 * DAY;
const DEFAULT_SPAN: Millis = 30 * DAY;

/** From `from` on, and before `to`. */
export interface UsageRange {
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The range that a caller asks for. A day (`2026-11-21`) is the whole day in UTC, as `from` and as `to`; an instant
 * needs its offset (`2026-11-21T12:00:00Z`) and is exact, `to` excluded. Without `to`: until now; without `from`:
 * the 30 days before `to`. A text instead of a range says what is wrong with it.
 */
export function parseUsageRange(
  from: string | undefined,
  to: string | undefined,
  now: Millis,
): UsageRange | string {
  const end = to === undefined ? now + 1 : parseInstant(to, 'end');
  if (end === null) return `to: ${NOT_A_DATE}`;
  const start = from === undefined ? end - DEFAULT_SPAN : parseInstant(from, 'start');
  if (start === null) return `from: ${NOT_A_DATE}`;
  if (start >= end) return 'from: must be before to.';
  if (end - start > LONGEST) return 'from: must be at most a year before to; ask for a part of it at a time.';
  return { from: start, to: end };
}

const NOT_A_DATE = 'must be a day (2026-11-21, in UTC) or an instant (2026-11-21T12:00:00Z), as in ISO 8601.';
/** What `from` and `to` may look like. */
export const ISO_DAY = /^[12]\d{3}-\d{2}-\d{2}$/;
export const ISO_INSTANT = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

function parseInstant(text: string, dayAs: 'start' | 'end'): Millis | null {
  const isDay = ISO_DAY.test(text);
  if (!isDay && !ISO_INSTANT.test(text)) return null;
  // Date.parse takes 30 February for 2 March: only a day that comes back as it went in exists.
  const day = Date.parse(text.slice(0, 10));
  if (Number.isNaN(day) || dayOf(day) !== text.slice(0, 10)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return isDay && dayAs === 'end' ? at + DAY : at;
}

/** What each feature spent on each day, newest day first, features by name. Refusals and grants spend nothing. */
export function totalsOf(entries: readonly UsageEntry[]): readonly UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const { kind, feature, outcome, deltaAllowance, deltaPack, createdAt } of entries) {
    const isSpend = (kind === 'consume' || kind === 'confirm') && outcome !== 'exhausted';
    if (!isSpend || feature === null) continue;
    const day = dayOf(createdAt);
    const before = totals.get(`${day} ${feature}`) ?? { day, feature, credits: 0, count: 0 };
    const credits = before.credits - deltaAllowance - deltaPack;
    totals.set(`${day} ${feature}`, { ...before, credits, count: before.count + 1 });
  }
  return [...totals.values()].sort((a, b) => compare(b.day, a.day) || compare(a.feature, b.feature));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Where a page ended: entries that were written together share their instant, and their ids part them. */
interface UsagePlace {
  readonly createdAt: Millis;
  readonly id: string;
}
interface UsagePage {
  readonly entries: readonly UsageEntry[];
  /** Where the next page starts; null when there is none. */
  readonly next: UsagePlace | null;
}

/**
 * One page of a user's ledger, newest first: one query, of one document more than it answers. It needs no index
 * of its own: the range and both orders are on one field and the id.
 */
export async function readUsage(
  firestore: Firestore,
  uid: Uid,
  { from, to }: UsageRange,
  limit: number,
  after: UsagePlace | null,
): Promise<UsagePage> {
  const query = queries.ledgerBetween(firestore, uid, { from, to }, 'desc').limit(limit + 1);
  const page = after === null ? query : query.startAfter(Timestamp.fromMillis(after.createdAt), after.id);
  const { docs } = await page.get();
  const entries = docs.slice(0, limit).map((doc) => readUsageEntry(doc.id, doc.data()));
  const last = docs.length > limit ? entries.at(-1) : undefined;
  return { entries, next: last === undefined ? null : { createdAt: last.createdAt, id: last.id } };
}
