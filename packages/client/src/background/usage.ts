import type { UsageResponse } from '@extension-billing/contract/usage';
import type { BillingMessages, UsageResult } from '../messages.ts';
import type { Api, ApiAnswer } from './api.ts';

const TIMEOUT_MS = 10_000;
/** The most that the service gives: a chart adds pages up, so the fewer the better. */
const ENTRIES = '500';

export type Usage = (request: BillingMessages['creditsUsage']['request']) => Promise<UsageResult>;

export interface UsageDeps {
  readonly api: Pick<Api, 'get'>;
  /** Who is signed in. */
  readonly uid: () => Promise<string | null>;
}

/** One page of what was spent and granted, as the service tells it. Nothing of it is kept. */
export function createUsage({ api, uid: currentUid }: UsageDeps): Usage {
  return async ({ from, to, cursor }) => {
    const uid = await currentUid();
    if (uid === null) return { ok: false, reason: 'signed_out' };
    const query = new URLSearchParams({
      from,
      to,
      limit: ENTRIES,
      ...(cursor === undefined ? {} : { cursor }),
    });
    const path = `/credits/usage?${query}`;
    const answer = await api.get<UsageResponse>({ uid, path, timeoutMs: TIMEOUT_MS });
    if (answer.kind !== 'answered') return { ok: false, reason: reasonOf(answer) };
    const { entries, totals, next } = answer.body;
    if (!Array.isArray(entries) || !Array.isArray(totals)) return { ok: false, reason: 'unavailable' };
    return { ok: true, entries, totals, next };
  };
}

function reasonOf(answer: Exclude<ApiAnswer<unknown>, { kind: 'answered' }>) {
  switch (answer.kind) {
    case 'unreachable':
      return 'offline';
    case 'signed_out':
    case 'account_changed':
      return answer.kind;
    case 'timeout':
      return 'unavailable';
    case 'problem':
      return answer.problem.status === 400 ? 'invalid' : 'unavailable';
    default:
      return answer satisfies never;
  }
}
