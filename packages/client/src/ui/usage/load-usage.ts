import type { UsageTotal } from '@extension-billing/contract/usage';
import type { BillingMessages, UsageResult } from '../../messages.ts';

export type UsageFailure = Extract<UsageResult, { ok: false }>['reason'] | 'no_worker';

/** What was spent by day and feature. `complete` is false where there is more than was asked for. */
export type LoadedUsage =
  | { readonly ok: true; readonly totals: readonly UsageTotal[]; readonly complete: boolean }
  | { readonly ok: false; readonly reason: UsageFailure };

/** Pages of the ledger that one look at the chart may ask for, newest first. */
const MOST_PAGES = 10;

type Ask = (request: BillingMessages['creditsUsage']['request']) => Promise<UsageResult>;

/** Asks for every page of a range of days (`2026-11-21`, in UTC, both included) and puts their totals together. */
export async function loadUsage(ask: Ask, from: string, to: string): Promise<LoadedUsage> {
  const totals: UsageTotal[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer: UsageResult | null = await ask({ from, to, ...(cursor !== null && { cursor }) }).catch(
      () => null,
    );
    if (answer === null) return { ok: false, reason: 'no_worker' };
    if (!answer.ok) return { ok: false, reason: answer.reason };
    totals.push(...answer.totals);
    cursor = answer.next;
    if (cursor === null) return { ok: true, totals, complete: true };
  }
  return { ok: true, totals, complete: false };
}
