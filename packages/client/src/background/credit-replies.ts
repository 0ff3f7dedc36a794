import type { ConsumeResponse } from '@extension-billing/contract/api';
import type { ErrorCode, ExhaustedProblem } from '@extension-billing/contract/problems';
import type { NoAnswer } from '../messages.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import type { BalanceReport } from '../snapshot/write.ts';
import type { ApiAnswer } from './api.ts';
import { areBalances } from './credit-answers.ts';

export interface CreditRepliesDeps {
  readonly online: () => boolean;
  readonly snapshot: {
    current(): Promise<EntitlementSnapshot | null>;
    balance(report: BalanceReport): Promise<void>;
  };
}

interface Balances {
  readonly balance: number | null;
  readonly allowance: number | null;
}
type Refusal<Reason> = Balances & { readonly ok: false; readonly reason: Reason };

/** What a page gets for an answer of the API; the balances in it are mirrored into the snapshot on the way. */
export function createCreditReplies({ online, snapshot }: CreditRepliesDeps) {
  async function granted(
    uid: string,
    body: Pick<ConsumeResponse, 'balance' | 'allowance' | 'packCredits' | 'updatedAt'>,
    holds = 0,
  ): Promise<Balances> {
    const { balance, allowance, packCredits, updatedAt } = body;
    if (balance === null || allowance === null) return { balance: null, allowance: null };
    if (updatedAt !== null) {
      const credits = { balance, allowance, packCredits: packCredits ?? balance - allowance };
      await snapshot.balance({ uid, credits, updatedAt, ...(holds > 0 && { holds }) });
    }
    // A replay carries the balance of its day; the snapshot may know better.
    const latest = await snapshot.current();
    const isNewer = latest?.uid === uid && latest.credits !== null && latest.updatedAt > (updatedAt ?? 0);
    const shown = isNewer && latest.credits !== null ? latest.credits : { balance, allowance };
    return { balance: shown.balance, allowance: shown.allowance };
  }

  /** With the balance of the user who asked, where it is known: another's is not theirs to see. */
  async function denied<Reason extends string>(uid: string | null, reason: Reason): Promise<Refusal<Reason>> {
    const latest = await snapshot.current();
    const credits = uid !== null && latest?.uid === uid ? latest.credits : null;
    return { ok: false, balance: credits?.balance ?? null, allowance: credits?.allowance ?? null, reason };
  }

  /** A refusal changes nothing on the server; it can only tell that the snapshot had missed something. */
  async function emptied(
    uid: string,
    before: EntitlementSnapshot | null,
    { balance, allowance, replayed }: ExhaustedProblem,
  ): Promise<Refusal<'exhausted'>> {
    const missed = before?.uid === uid && !replayed && before.credits?.balance !== balance;
    if (missed) {
      const credits = { balance, allowance, packCredits: balance - allowance };
      // One millisecond after what it corrects: any real state of the record that came since stays.
      await snapshot.balance({ uid, credits, updatedAt: before.updatedAt + 1 });
    }
    return { ok: false, balance, allowance, reason: 'exhausted' };
  }

  /**
   * @param before the snapshot before the request was sent
   * @param passedOn codes of the API that the page gets as they are; every other one becomes "unavailable"
   */
  async function refused<Code extends ErrorCode>(
    uid: string,
    before: EntitlementSnapshot | null,
    answer: NotAnswered,
    passedOn: readonly Code[],
  ): Promise<Refusal<Code | NoAnswer | 'exhausted'>> {
    const refusal = exhausted(answer);
    return refusal === null
      ? denied(uid, reasonOf(answer, online(), passedOn))
      : emptied(uid, before, refusal);
  }

  /** @returns how the reservation had ended before, or that there is no answer */
  const unsettled = (uid: string, answer: NotAnswered) =>
    denied(uid, reasonOf(answer, online(), SETTLEMENTS));

  return { granted, denied, refused, unsettled };
}

const SETTLEMENTS = [
  'unknown_reservation',
  'reservation_expired',
  'reservation_released',
  'reservation_confirmed',
] as const;
type NotAnswered = Exclude<ApiAnswer<unknown>, { kind: 'answered' }>;

function exhausted(answer: ApiAnswer<unknown>): ExhaustedProblem | null {
  if (answer.kind !== 'problem' || answer.problem.code !== 'credits_exhausted') return null;
  const refusal = answer.problem as ExhaustedProblem;
  return areBalances(refusal.balance, refusal.allowance) ? refusal : null;
}

function reasonOf<Code extends ErrorCode>(
  answer: NotAnswered,
  online: boolean,
  passedOn: readonly Code[],
): Code | NoAnswer {
  switch (answer.kind) {
    case 'unreachable':
      return 'offline';
    case 'timeout':
      return online ? 'unavailable' : 'offline';
    case 'signed_out':
    case 'account_changed':
      return answer.kind;
    case 'problem':
      return passedOn.find((code) => code === answer.problem.code) ?? 'unavailable';
    default:
      return answer satisfies never;
  }
}
