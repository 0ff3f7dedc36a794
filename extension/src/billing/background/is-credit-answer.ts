import type { ReserveResponse } from '@contract/api.ts';
import type { ApiRequest } from './api.ts';

type Fields = Partial<Record<keyof ReserveResponse, unknown>>;

/**
 * Whether a 200 is the service's own answer to a request of credits, whole. A proxy, a captive portal or a service of
 * another time may answer something else, and half of it must not reach the snapshot.
 */
export function isCreditAnswer(path: ApiRequest['path'], body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const { ok, balance, allowance, packCredits, updatedAt, reservation, expiresAt }: Fields = body;
  if (ok !== true || ![balance, allowance, packCredits, updatedAt].every(isWholeOrNull)) return false;
  if (path !== '/credits/reserve') return true;
  return typeof reservation === 'string' && reservation !== '' && isWholeOrNull(expiresAt);
}

/** Credits, and instants: whole and never negative. */
export function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isWholeOrNull(value: unknown): boolean {
  return value === null || isWhole(value);
}
