import type { ReserveResponse } from '@extension-billing/contract/api';
import { creditsIn } from '@extension-billing/contract/read-credits';
import type { ApiRequest } from './api.ts';

type Fields = Partial<Record<keyof ReserveResponse, unknown>>;

/**
 * Whether a 200 is the service's own answer to a request of credits, whole. A proxy, a captive portal or a service of
 * another time may answer something else, and half of it must not reach the snapshot.
 */
export function isCreditAnswer(path: ApiRequest['path'], body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { ok, balance, allowance, packCredits, updatedAt, reservation, expiresAt }: Fields = body;
  if (ok !== true || !isWholeOrNull(updatedAt)) return false;
  if (packCredits !== null && !isAmount(packCredits)) return false;
  if (!areBalances(balance, allowance) && !(balance === null && allowance === null)) return false;
  if (path !== '/credits/reserve') return true;
  return typeof reservation === 'string' && reservation !== '' && isWholeOrNull(expiresAt);
}

/** Two amounts of credits, of which the allowance is a part of the balance. */
export function areBalances(balance: unknown, allowance: unknown): boolean {
  return isAmount(balance) && isAmount(allowance) && allowance <= balance;
}

/** What a stored snapshot would keep as it is. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && creditsIn(value) === value;
}

/** An instant, or none. */
function isWholeOrNull(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
}
