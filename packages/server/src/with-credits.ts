import type {
  Billing,
  ConfirmRefusal,
  Ended,
  Hold,
  HoldOptions,
  HoldRefusal,
  Measured,
  MeasuredResult,
} from './billing.ts';
import { BillingError } from './billing-error.ts';

/** Holds for one try: another try under the same key is refused. */
type HoldFor = (
  uid: string,
  feature: string,
  options: HoldOptions & { readonly attempt: string },
) => Promise<Hold | HoldRefusal>;

/** `withCredits` on top of `hold`: what it promises stands with the interface (billing.ts). */
export function withCreditsOf(hold: HoldFor): Billing['withCredits'] {
  return async (uid, feature, work, options) => {
    // The same in each repetition of a request whose answer was lost: what this call held is its own.
    const held = await hold(uid, feature, { ...options, attempt: crypto.randomUUID() });
    if (!held.ok) return held;
    if (held.hasEnded === true) return ENDED_BEFORE;
    let returned: Awaited<ReturnType<typeof work>>;
    try {
      returned = await work(held);
    } catch (error) {
      // Whether or not this arrives, the credits become free; what the caller has to know is what the work threw.
      await held.release().catch(() => {});
      throw error;
    }
    const { result, measured } = read(returned);
    const { settled, isAboveHold } = await end(held, measured, result);
    return { ok: true, result: result as never, charged: settled.ok, settled, isAboveHold };
  };
}

/** Nothing is held, so the work would be for free: as often as it is tried under this key. */
const ENDED_BEFORE = {
  ok: false,
  reason: 'idempotency_key_reused',
  detail: 'What was held under this key was taken, let go or expired: give another key for another try.',
} as const satisfies HoldRefusal;

interface Done {
  readonly result: unknown;
  /** Null where the work did not say what it took. */
  readonly measured: Measured | null;
}

function read(returned: unknown): Done {
  if (!isMeasured(returned)) return { result: returned, measured: null };
  const { result, ...measured } = returned;
  return { result, measured };
}

/** Only these fields, so that what is somebody's own result is not taken for one of these. */
const MEASURED: ReadonlySet<string> = new Set(['result', 'amount', 'units', 'label']);

function isMeasured(returned: unknown): returned is MeasuredResult<unknown> {
  if (typeof returned !== 'object' || returned === null || !('result' in returned)) return false;
  return (
    ('amount' in returned || 'units' in returned) && Object.keys(returned).every((name) => MEASURED.has(name))
  );
}

interface End {
  readonly settled: Ended | ConfirmRefusal;
  readonly isAboveHold: boolean;
}

/** @throws BillingError that names the reservation and has the result, where the end is not known or was not taken */
async function end(held: Hold, measured: Measured | null, result: unknown): Promise<End> {
  try {
    const settled = measured === null ? await held.confirm() : await settle(held, measured);
    if (settled !== null) return { settled, isAboveHold: false };
    // Nothing was recorded. Taking nothing would make a call free for anyone who makes it expensive or odd enough.
    return { settled: await held.confirm(), isAboveHold: true };
  } catch (error) {
    const { reservation } = held;
    const isKnown = error instanceof BillingError && !error.isOutcomeUnknown;
    const code = isKnown ? error.code : 'outcome_unknown';
    const cause = error instanceof Error ? error.message : String(error);
    const what = isKnown ? 'its credits were not taken' : 'whether its credits were taken is not known';
    const message = `The work is done, and ${what} (${cause}) Ending reservation ${reservation} again is safe; where it was not ended, it frees itself.`;
    throw new BillingError(code, message, { cause: error, isOutcomeUnknown: !isKnown, reservation, result });
  }
}

/** Null if the service takes no such amount. */
async function settle(held: Hold, measured: Measured): Promise<End['settled'] | null> {
  try {
    const settled = await held.settle(measured);
    return settled.ok || settled.reason !== 'amount_above_hold' ? (settled as End['settled']) : null;
  } catch (error) {
    if (error instanceof BillingError && !error.isOutcomeUnknown && error.code === 'invalid_request')
      return null;
    throw error;
  }
}
