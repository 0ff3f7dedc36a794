import type { Offer } from '@extension-billing/contract/catalog';
import { type PlannedChange, planKindOf } from '@extension-billing/contract/customer';
import { isTrial } from '@extension-billing/contract/subscription-status';
import type { SubscriptionState } from '../stripe/facts.ts';
import type { BuyerRecord } from './decide.ts';

/** The subscription that runs, as the provider has it now. */
export type RunningState = Pick<SubscriptionState, 'status' | 'cancel' | 'lookupKey' | 'pause'> & {
  readonly planned: PlannedChange | null;
};

export type ChangeDecision =
  | {
      readonly kind: 'refused';
      readonly code:
        | 'no_subscription'
        | 'already_on_plan'
        | 'already_owned'
        | 'change_planned'
        | 'currency_differs'
        | 'checkout_required'
        | 'portal_required';
    }
  /** A change that is planned is taken back: nothing has to be confirmed for what was agreed to before. */
  | { readonly kind: 'take_back' }
  /** A running trial goes on only on a plan that is sold with one: else an upgrade would be free for days. */
  | { readonly kind: 'open'; readonly trial: 'continue_trial' | 'end_trial' };

/** Whether a plan's price can be billed to a subscription: Stripe never mixes currencies in one. */
export function isSoldInItsCurrency(
  { amounts }: { readonly amounts: Readonly<Record<string, number>> },
  { currency = null }: Pick<SubscriptionState, 'currency'>,
): boolean {
  return currency === null || Object.hasOwn(amounts, currency);
}

/** What a request to change to an offer leads to (docs/decisions/changes-of-plan.md#confirmed-at-the-provider). */
export function decideChange(
  offer: Offer,
  record: Pick<BuyerRecord, 'paid' | 'plan' | 'planKind'> | null,
  running: RunningState | null,
): ChangeDecision {
  const refused = (code: Extract<ChangeDecision, { kind: 'refused' }>['code']) =>
    ({ kind: 'refused', code }) as const;
  if (offer.kind !== 'subscription') return refused('checkout_required');
  if (record?.paid === true && planKindOf(record) === 'lifetime') return refused('already_owned');
  if (running === null) return refused('no_subscription');
  const { status, cancel, lookupKey, pause = null, planned } = running;
  if (planned !== null && offer.lookupKey === lookupKey) return { kind: 'take_back' };
  if ((status !== 'active' && !isTrial(status)) || cancel || pause !== null) {
    return refused('portal_required');
  }
  if (offer.lookupKey === lookupKey) return refused('already_on_plan');
  if (planned !== null) return refused('change_planned');
  return { kind: 'open', trial: offer.trial ? 'continue_trial' : 'end_trial' };
}
