import type { PlannedChange, Renewal } from '@extension-billing/contract/customer';
import { billOf } from './bills.ts';
import { MODEL_PLANS } from './catalog.ts';
import { inSeconds } from './rights-oracle.ts';
import type { SubscriptionTruth } from './truth.ts';

const PAYING = new Set(['active', 'trialing', 'past_due']);

/**
 * What is said to be billed next: what the provider bills, and nothing where a snapshot cannot say it for certain.
 * Written from docs/decisions/changes-of-plan.md#what-renews-is-the-subscriptions-word alone.
 */
export function renewalOf(state: SubscriptionTruth): Renewal | null {
  const { plan, bought, addOn, status, cancel, pause, currency, discounted, schedule } = state;
  const { interval, byHand = false }: { interval: Renewal['interval']; byHand?: boolean } = MODEL_PLANS[plan];
  const goesOn = PAYING.has(status) && cancel === 'no' && pause === null && schedule === null;
  const isEven = !addOn || interval === 'month';
  const isSaid = currency === 'usd' || (!addOn && (plan === bought || !byHand));
  return goesOn && isEven && isSaid && !discounted ? { amount: billOf(state), currency, interval } : null;
}

/** What a subscription changes to by its schedule; another number of the same plan is no change of plan. */
export function plannedIn({ plan, schedule }: SubscriptionTruth): PlannedChange | null {
  if (schedule === null || schedule.isReached || schedule.plan === plan) return null;
  return { plan: schedule.plan, at: inSeconds(schedule.at) * 1000 };
}

/**
 * The change of plan that is shown: while its day lies ahead, the plan is another one, and no end is set. Written from
 * docs/decisions/changes-of-plan.md#confirmed-at-the-provider alone.
 *
 * @param planned what the provider said last
 */
export function plannedOf(
  { plan, cancel, periodStart }: SubscriptionTruth,
  planned: PlannedChange | null,
): PlannedChange | null {
  if (planned === null || cancel !== 'no' || planned.plan === plan) return null;
  return planned.at > inSeconds(periodStart) * 1000 ? planned : null;
}
