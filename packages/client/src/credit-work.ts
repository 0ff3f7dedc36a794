import type { BillingMessages, ReserveResult, SettleResult } from './messages.ts';
import type { FeatureKey } from './register.ts';

/** How a reservation is made and settled: by message from a page, directly in the background. */
export interface CreditDoor {
  reserve(request: BillingMessages['creditsReserve']['request']): Promise<ReserveResult>;
  confirm(request: { readonly reservation: string }): Promise<SettleResult>;
  release(request: { readonly reservation: string }): Promise<SettleResult>;
}

/** How long what the work costs is held. */
export interface CreditWorkOptions {
  /** Longer than the work can take: after that the credits are free again, and nothing can be charged. 900 by default. */
  readonly expiresInSeconds?: number;
}

/** The work and what became of its credits, or why it was not started. */
export type CreditWork<Value> =
  | {
      readonly ok: true;
      readonly value: Value;
      /** False: the work is done and could not be charged. `settled.reason` says why (offline, expired). */
      readonly charged: boolean;
      readonly settled: SettleResult | null;
    }
  | (Extract<ReserveResult, { ok: false }> & { readonly value?: never });

/** Holds what a feature costs, does the work, and takes the cost when it is done; frees it and throws the same where the work throws. */
export type WithCredits = <Value>(
  feature: FeatureKey,
  work: () => Value | Promise<Value>,
  options?: CreditWorkOptions,
) => Promise<CreditWork<Value>>;

const NO_ANSWER: SettleResult = { ok: false, balance: null, allowance: null, reason: 'unavailable' };

/**
 * Holds a feature's cost, does the work, and takes the cost; lets it go when the work throws, and throws on what the
 * work threw. The work is not started unless its cost is held, or nothing has to be (`settled` is null then). When
 * neither reaches the service, the reservation expires by itself: the user never pays for what failed.
 */
export function createWithCredits({ reserve, confirm, release }: CreditDoor): WithCredits {
  return async (feature, work, options = {}) => {
    const held = await reserve({ feature, ...options });
    if (!held.ok) return held;
    const { reservation } = held;
    let value: Awaited<ReturnType<typeof work>>;
    try {
      value = await work();
    } catch (error) {
      // Whether or not this arrives, the credits become free; what the caller has to know is what the work threw.
      if (reservation !== null) await release({ reservation }).catch(() => {});
      throw error;
    }
    if (reservation === null) return { ok: true, value, charged: true, settled: null };
    // The work is done, and is the caller's whatever becomes of the charge: a reply that is lost must not take it away.
    const settled = await confirm({ reservation }).catch(() => NO_ANSWER);
    return { ok: true, value, charged: settled.ok, settled };
  };
}
