import type { BalanceResponse } from '@extension-billing/contract/api';
import { within } from '../promises.ts';
import type { SnapshotCredits } from '../snapshot/snapshot.ts';
import type { Api } from './api.ts';
import { areBalances } from './credit-answers.ts';

/** A page shows nothing of a new user before this is over, or the service has answered. */
const ANSWER_WITHIN_MS = 3_000;

/** What an account that never had credits will have when it first spends some: those that the catalogue gives for free. */
export interface ExpectedCredits {
  /**
   * A page says whether its catalogue gives free credits; undefined: it has no catalogue, so the service is asked.
   * Before a page has said hello, nothing is asked.
   */
  heard(free: boolean | undefined): void;
  /** null: none; undefined: not known. The service is asked once in a worker's life, and again after no answer. */
  of(uid: string): Promise<SnapshotCredits | null | undefined>;
  /** What it said holds no longer: a guest has an address now, or something was spent. */
  forget(): void;
}

export function createExpectedCredits({ get }: Pick<Api, 'get'>): ExpectedCredits {
  let isGiven: boolean | undefined;
  let asked: { readonly uid: string; readonly answer: ReturnType<typeof ask> } | null = null;

  async function ask(uid: string): Promise<SnapshotCredits | null | undefined> {
    const answer = await get<BalanceResponse>({ uid, path: '/credits/balance', timeoutMs: 10_000 });
    const { balance, allowance } = answer.kind === 'answered' ? answer.body : { balance: null, allowance: 0 };
    if (!areBalances(balance, allowance)) {
      asked = null;
      return undefined;
    }
    // Nobody is shown an empty meter who never had credits.
    if (!balance) return null;
    return { balance, allowance, packCredits: balance - allowance, monthlyCredits: 0, expected: true };
  }

  return {
    heard(free) {
      isGiven = free ?? isGiven ?? true;
    },
    async of(uid) {
      if (isGiven !== true) return isGiven === false ? null : undefined;
      if (asked?.uid !== uid) asked = { uid, answer: ask(uid) };
      return within(ANSWER_WITHIN_MS, asked.answer, undefined);
    },
    forget() {
      asked = null;
    },
  };
}
