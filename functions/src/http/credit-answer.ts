import { drawn } from '@extension-billing/contract/available-credits';
import type { Response } from 'express';
import type { RequestEntry } from '../domain/ledger.ts';
import { sendProblem } from './answer.ts';
import { TooManyRequests } from './limit-rate.ts';

/** What could be spent after a recorded request: the same at every replay. */
export function balancesAfter({ allowance, packCredits, held = 0, createdAt }: RequestEntry) {
  const left = drawn({ allowance, packs: packCredits }, held);
  return {
    balance: left.allowance + left.packs,
    allowance: left.allowance,
    packCredits: left.packs,
    updatedAt: createdAt,
  };
}

/** An account without credits: the feature runs, nothing is spent (specification, "Credit balance moves", 3). */
export const FREE = {
  ok: true,
  balance: null,
  allowance: null,
  packCredits: null,
  cost: 0,
  replayed: false,
  updatedAt: null,
} as const;

export function sendExhausted(res: Response, entry: RequestEntry, replayed: boolean): void {
  const { balance, allowance } = balancesAfter(entry);
  const detail = 'The balance does not cover this feature: top up to go on.';
  sendProblem(res, 'credits_exhausted', detail, { balance, allowance, replayed });
}

export function sendKeyReused(res: Response): void {
  sendProblem(res, 'idempotency_key_reused', 'This key was used for another request; send a new one.');
}

/** Nothing was recorded, and a top-up is seen at once: only requests that would be refused get this. */
export function tooManyRefusals(): TooManyRequests {
  return new TooManyRequests(60, 'requests without the credits for them');
}
