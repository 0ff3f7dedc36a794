import type { ConsumeResponse, ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import { creditsIn } from '@extension-billing/contract/whole-credits';

// The contract's schemas of these answers weigh more than the rest of the worker's client, so they are read by hand; the
// compiler holds the fields to the schemas, answers.fuzz.test.ts the values.

/** What a request of credits is answered with, by its route. */
interface CreditAnswers {
  readonly '/credits/consume': ConsumeResponse;
  readonly '/credits/reserve': ReserveResponse;
  readonly '/credits/confirm': SettleResponse;
  readonly '/credits/release': SettleResponse;
}
export type CreditPath = keyof CreditAnswers;

type Check = (value: unknown) => boolean;

const OF_ALL = {
  ok: (value: unknown) => value === true,
  balance: isAmountOrNull,
  allowance: isAmountOrNull,
  packCredits: isAmountOrNull,
  cost: isAmount,
  replayed: (value: unknown) => typeof value === 'boolean',
  updatedAt: isInstantOrNull,
};
const OF_SETTLE = { ...OF_ALL, shortfall: isAmount };

/** What a worker does nothing with: it makes a key for each try. */
type Unread = 'hasEnded';

/** What each field has to be. */
const CHECKS: {
  readonly [Path in CreditPath]: Readonly<Record<Exclude<keyof CreditAnswers[Path], Unread>, Check>>;
} = {
  '/credits/consume': OF_ALL,
  '/credits/reserve': {
    ...OF_ALL,
    reservation: (value) => typeof value === 'string' && value !== '',
    expiresAt: isInstantOrNull,
  },
  '/credits/confirm': OF_SETTLE,
  '/credits/release': OF_SETTLE,
};

/**
 * Whether a 200 is the service's own answer to a request of credits, whole. A proxy, a captive portal or a service of
 * another time may answer something else, and half of it must not reach the snapshot. Fields that a newer service adds
 * are none of ours.
 */
export function isCreditAnswer(path: CreditPath, body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const answer = body as Readonly<Record<string, unknown>>;
  const { balance, allowance } = answer;
  return (
    Object.entries<Check>(CHECKS[path]).every(([field, isRight]) => isRight(answer[field])) &&
    (areBalances(balance, allowance) || (balance === null && allowance === null))
  );
}

/** Two amounts of credits, of which the allowance is a part of the balance. */
export function areBalances(balance: unknown, allowance: unknown): boolean {
  return isAmount(balance) && isAmount(allowance) && allowance <= balance;
}

/** What a stored snapshot would keep as it is. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && creditsIn(value) === value;
}

function isAmountOrNull(value: unknown): boolean {
  return value === null || isAmount(value);
}

function isInstantOrNull(value: unknown): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0);
}
