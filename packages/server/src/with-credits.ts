import type { Billing, ConfirmRefusal, Ended, Hold } from './billing.ts';
import { BillingError } from './billing-error.ts';

/** `withCredits` on top of `hold`: what it promises stands with the interface (billing.ts). */
export function withCreditsOf(hold: Billing['hold']): Billing['withCredits'] {
  return async (uid, feature, work, options) => {
    const held = await hold(uid, feature, options);
    if (!held.ok) return held;
    let result: Awaited<ReturnType<typeof work>>;
    try {
      result = await work(held);
    } catch (error) {
      // Whether or not this arrives, the credits become free; what the caller has to know is what the work threw.
      await held.release().catch(() => {});
      throw error;
    }
    const settled = await settle(held, result);
    return { ok: true, result, charged: settled.ok, settled };
  };
}

async function settle(held: Hold, result: unknown): Promise<Ended | ConfirmRefusal> {
  try {
    return await held.confirm();
  } catch (error) {
    const { reservation } = held;
    // A refused key, say, is not repeated, and nothing was taken.
    const code =
      error instanceof BillingError && error.code !== 'unreachable' ? error.code : 'outcome_unknown';
    const cause = error instanceof Error ? error.message : String(error);
    const message = `The work is done, and whether its credits were taken is not known (${cause}) Ending reservation ${reservation} again is safe; if it was not ended, it frees itself.`;
    throw new BillingError(code, message, { cause: error, reservation, result });
  }
}
