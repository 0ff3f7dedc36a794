import type { CustomerRecord } from './record.ts';

type CreditFields = Pick<CustomerRecord, 'creditsRemaining' | 'creditsAllowance' | 'packCreditsRemaining'>;

/**
 * The balances of a stored record, whoever wrote it. Credits are in use where any of the three fields is there, and one
 * that is no amount of credits counts as 0: a damaged record refuses, it never runs features free.
 */
export function readCreditFields(stored: Readonly<Record<string, unknown>>): CreditFields {
  const allowance = creditsIn(stored.creditsAllowance);
  const packs = creditsIn(stored.packCreditsRemaining);
  const total = creditsIn(stored.creditsRemaining);
  if (allowance === undefined && packs === undefined && total === undefined) return {};
  // A record from elsewhere may lack a part: it is what the other leaves of the whole. One that knows only the whole
  // has packs: nobody granted it for a month, so it does not expire.
  const creditsAllowance = allowance ?? (packs === undefined ? 0 : without(total, packs));
  const packCreditsRemaining = packs ?? without(total, creditsAllowance);
  return {
    creditsRemaining: creditsAllowance + packCreditsRemaining,
    creditsAllowance,
    packCreditsRemaining,
  };
}

function without(total: number | undefined, part: number): number {
  return Math.max(0, (total ?? 0) - part);
}

/** Credits beyond this are a mistake, and sums of them would lose precision. */
const MOST_CREDITS = 1_000_000_000_000;

/** Whole credits, never negative; 0 for a value that is no amount; undefined where there is none. */
export function creditsIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value > 0) || value > MOST_CREDITS) return 0;
  return Math.floor(value);
}
