import type { UsageResponse } from '@extension-billing/contract/usage';
import type { Request, RequestHandler } from 'express';
import * as v from 'valibot';
import type { AppDeps } from '../deps.ts';
import { isDocumentId } from '../domain/document-id.ts';
import { parseUsageRange, totalsOf } from '../domain/usage.ts';
import { readUsage, type UsagePlace } from '../store/read-usage.ts';
import { InvalidRequest, sendJson } from './answer.ts';
import { userOf } from './authenticate.ts';
import { logOf } from './correlate.ts';
import { parseQuery } from './parse-body.ts';
import { DEFAULT_ENTRIES, MOST_ENTRIES, UsageLimit, UsageQuery } from './requests.ts';

/** The longest id of a ledger entry is made of two ids of the provider's objects, or less. */
const LONGEST_ID = 500;

/**
 * GET /credits/usage: one page of the user's ledger, newest first, with what its entries spent by feature and day.
 * One query whatever the ledger's length; a chart adds the totals of its pages up (docs/decisions/0051-usage.md).
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
  if (limit === undefined) return DEFAULT_ENTRIES;
  return v.is(UsageLimit, Number(limit)) ? Number(limit) : 1;
}

function readLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_ENTRIES;
  const count = /^\d{1,4}$/.test(limit) ? Number(limit) : Number.NaN;
  if (v.is(UsageLimit, count)) return count;
  throw new InvalidRequest(`limit: must be a whole number from 1 to ${MOST_ENTRIES}.`);
}

function writeCursor({ createdAt, id }: UsagePlace): string {
  return Buffer.from(`${createdAt}:${id}`).toString('base64url');
}

function readCursor(cursor: string): UsagePlace {
  const [, at, id] = /^(\d{1,14}):(.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at !== undefined && isDocumentId(id, LONGEST_ID)) return { createdAt: Number(at), id };
  throw new InvalidRequest('cursor: send the "next" of the page before, as it is.');
}
