import type { CreditWork } from '../../credit-work.ts';
import type { ConsumeResult, DenialReason, NoAnswer, SettleDenial } from '../../messages.ts';
import type { FeatureKey } from '../../register.ts';
import { refuseUnsent, send } from '../../send.ts';

/**
 * Consumes for the presses of one button. A press whose outcome never became known may have been charged, so the next
 * press retries it under the same request id. Without a worker it resolves with a refusal.
 */
export function createPresses(): (feature: FeatureKey) => Promise<ConsumeResult> {
  let unknown: { readonly feature: FeatureKey; readonly requestId: string } | null = null;

  return async function press(feature): Promise<ConsumeResult> {
    const retried = unknown?.feature === feature ? unknown : null;
    const request = retried ?? { feature, requestId: crypto.randomUUID() };
    unknown = request;
    const result = await send('creditsConsume', request).catch(refuseUnsent);
    if (isOutcomeKnown(result)) unknown = null;
    // The recorded refusal of the earlier press: nothing was charged, and credits may have come since.
    if (retried !== null && !result.ok && result.reason === 'exhausted') return press(feature);
    return result;
  };
}

/**
 * The same for a feature whose cost is held first: a press whose confirm was not answered may have been charged, so the
 * next one confirms the same reservation.
 */
export function createHeldPresses(): (feature: FeatureKey) => Promise<CreditWork<void>> {
  let unsettled: { readonly feature: FeatureKey; readonly reservation: string } | null = null;

  return async function press(feature): Promise<CreditWork<void>> {
    const retried = unsettled?.feature === feature ? unsettled : null;
    const held = retried ?? (await send('creditsReserve', { feature }).catch(refuseUnsent));
    if ('ok' in held && !held.ok) return held;
    const { reservation } = held;
    if (reservation === null) return { ok: true, value: undefined, charged: true, settled: null };
    const settled = await send('creditsConfirm', { reservation }).catch(refuseUnsent);
    const done = { ok: true, value: undefined, charged: settled.ok, settled } as const;
    unsettled = isUnsettled(done) ? { feature, reservation } : null;
    if (retried !== null && !settled.ok && unsettled === null) return press(feature);
    return done;
  };
}

/** Whether the work was done and no reply says what became of its credits: the service may have taken them. */
export function isUnsettled(done: CreditWork<unknown>): boolean {
  if (!done.ok || done.settled === null || done.settled.ok) return false;
  return !SETTLED.has(done.settled.reason);
}

const SETTLED: ReadonlySet<SettleDenial> = new Set<Exclude<SettleDenial, NoAnswer>>([
  'unknown_reservation',
  'reservation_expired',
  'reservation_released',
  'reservation_confirmed',
]);

/** Only the service knows: a session may have ended after a first attempt whose answer was lost. */
function isOutcomeKnown(result: ConsumeResult): boolean {
  return result.ok || SERVICE_REFUSALS.has(result.reason);
}

const SERVICE_REFUSALS: ReadonlySet<DenialReason> = new Set<Exclude<DenialReason, NoAnswer>>([
  'exhausted',
  'plan_required',
  'free_ceiling_reached',
  'unknown_feature',
]);
