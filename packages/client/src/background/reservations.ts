import type { ReserveResponse, SettleResponse } from '@extension-billing/contract/api';
import type { BillingMessages, NoAnswer, ReserveResult, SettleResult } from '../messages.ts';
import { createAsk } from './api.ts';
import type { SpendDeps } from './consume.ts';
import { createCreditReplies } from './credit-replies.ts';

export interface Reservations {
  reserve(request: BillingMessages['creditsReserve']['request']): Promise<ReserveResult>;
  confirm(request: { readonly reservation: string }): Promise<SettleResult>;
  release(request: { readonly reservation: string }): Promise<SettleResult>;
}

/**
 * Holds a feature's cost and settles it. Denied at once when signed out or offline, and never queued, as a consume.
 * The page's name for its request is the idempotency key, so a worker that starts after another's death asks for the
 * same reservation without having kept anything; one that nobody settles expires by itself.
 */
export function createReservations(deps: SpendDeps): Reservations {
  const ask = createAsk(deps);
  const replies = createCreditReplies(deps);

  /** The user, or why nothing is sent. */
  async function sender(): Promise<
    { readonly uid: string } | { readonly uid: string | null; readonly reason: NoAnswer }
  > {
    const uid = await deps.uid();
    if (uid === null) return { uid, reason: 'signed_out' };
    return deps.online() || deps.apiIsLocal ? { uid } : { uid, reason: 'offline' };
  }

  async function settle(as: 'confirm' | 'release', reservation: string): Promise<SettleResult> {
    const from = await sender();
    if ('reason' in from) return replies.denied(from.uid, from.reason);
    const { uid } = from;
    const answer = await ask<SettleResponse>({ uid, path: `/credits/${as}`, body: { reservation } });
    if (answer.kind === 'answered') return { ok: true, ...(await replies.granted(uid, answer.body)) };
    return replies.unsettled(uid, answer);
  }

  return {
    async reserve({ feature, expiresInSeconds, requestId }) {
      const from = await sender();
      if ('reason' in from) return replies.denied(from.uid, from.reason);
      const { uid } = from;
      const before = await deps.snapshot.current();
      const body = { feature, ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }) };
      const answer = await ask<ReserveResponse>({
        uid,
        path: '/credits/reserve',
        body,
        idempotencyKey: requestId ?? deps.newKey(),
      });
      if (answer.kind !== 'answered') {
        const passedOn = [
          'unknown_feature',
          'plan_required',
          'free_ceiling_reached',
          'too_many_reservations',
        ] as const;
        return replies.refused(uid, before, answer, passedOn);
      }
      const { reservation, expiresAt, cost } = answer.body;
      const balances = await replies.granted(uid, answer.body, expiresAt === null ? 0 : cost);
      return { ok: true, reservation: expiresAt === null ? null : reservation, expiresAt, ...balances };
    },
    confirm: ({ reservation }) => settle('confirm', reservation),
    release: ({ reservation }) => settle('release', reservation),
  };
}
