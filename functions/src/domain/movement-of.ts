import { heldOf } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import type { Credits } from './credits.ts';

/** What a ledger entry says of the way from one state of the credits to the next. */
export function movementOf(before: Credits, after: Credits, now: Millis) {
  const held = heldOf(after.holds, now);
  return {
    deltaAllowance: after.balances.allowance - before.balances.allowance,
    deltaPack: after.balances.packs - before.balances.packs,
    allowance: after.balances.allowance,
    packCredits: after.balances.packs,
    ...(held > 0 && { held }),
    createdAt: now,
  };
}
