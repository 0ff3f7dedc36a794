import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { AUTHENTICATION_REQUIRED, asksThreeDSecure, NOT_AUTHENTICATED } from './cards.ts';
import { collectAndFollowUp, fail } from './dunning.ts';
import { type Collected, openInvoiceOf, subscriptionOf } from './invoices.ts';
import { attemptPayment, failIntent, refusePayment } from './payments.ts';

/** Who confirms, and where the customer goes once they have answered their bank. */
interface Confirming {
  /** The customer cannot be asked (`off_session`): a card that asks is refused at once. */
  isAway: boolean;
  returnUrl: string | null;
}

/**
 * Charges a card for an intent, as its confirmation asks. An intent that pays an invoice settles it, and its
 * subscription follows.
 */
export function confirmIntent(
  world: World,
  intent: Stripe.PaymentIntent,
  card: Stripe.PaymentMethod,
  { isAway, returnUrl }: Confirming,
): Collected {
  const number = world.facts.cardNumbers.get(card.id) ?? '';
  if (isAway && asksThreeDSecure(number, 'away'))
    return { outcome: 'refused', ...refusePayment(world, intent, card, AUTHENTICATION_REQUIRED) };
  const presence = isAway ? 'away' : 'there';
  const invoice = openInvoiceOf(world, intent);
  if (invoice !== undefined) return collectAndFollowUp(world, invoice, { card, presence, returnUrl });
  return attemptPayment(world, intent, card, presence, returnUrl);
}

/**
 * The customer has answered their bank (3-D Secure): the card is charged, or the intent wants another one.
 *
 * @returns where they go from here; null where the confirmation named no address
 * @throws StripeApiError 400 when the intent waits for no answer
 */
export function answerBank(world: World, intent: Stripe.PaymentIntent, passed: boolean): string | null {
  const card = world.tables.payment_methods.get(idOf(intent.payment_method));
  if (intent.status !== 'requires_action' || card === undefined)
    throw invalidRequest(
      `This PaymentIntent does not wait for its customer's bank: its status is ${intent.status}.`,
      undefined,
      'payment_intent_unexpected_state',
    );
  const returnUrl = intent.next_action?.redirect_to_url?.return_url ?? null;
  const invoice = openInvoiceOf(world, intent);
  if (!passed) {
    failIntent(world, intent, card, NOT_AUTHENTICATED);
    if (invoice !== undefined) {
      invoice.attempt_count += 1;
      fail(world, invoice, subscriptionOf(world, invoice));
    }
  } else if (invoice !== undefined) collectAndFollowUp(world, invoice, { card, presence: 'confirmed' });
  else attemptPayment(world, intent, card, 'confirmed');
  if (returnUrl === null) return null;
  const back = new URL(returnUrl);
  back.searchParams.set('payment_intent', intent.id);
  back.searchParams.set('payment_intent_client_secret', intent.client_secret ?? '');
  back.searchParams.set('redirect_status', passed ? 'succeeded' : 'failed');
  return back.href;
}
