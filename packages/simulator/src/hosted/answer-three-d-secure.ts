import { answerBank } from '../engine/intent-confirm.ts';
import { renderThreeDSecure, renderThreeDSecureOver } from '../pages/three-d-secure.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { MERCHANT } from './checkout-view.ts';
import type { HostedAnswer } from './html-response.ts';

/** The bank's page of an intent that `requires_action`: shows it (`form` null), or takes the customer's answer. */
export function answerThreeDSecure(world: World, id: string, form: URLSearchParams | null): HostedAnswer {
  const intent = world.tables.payment_intents.inPath(id, 'intent');
  if (intent.status !== 'requires_action')
    return { status: 200, html: renderThreeDSecureOver(MERCHANT, intent.status === 'succeeded') };
  if (form !== null) {
    const passed = form.get('result') === 'ok';
    const location = answerBank(world, intent, passed);
    return location === null ? { status: 200, html: renderThreeDSecureOver(MERCHANT, passed) } : { location };
  }
  const number = world.facts.cardNumbers.get(idOf(intent.payment_method) ?? '') ?? '';
  const { amount, currency } = intent;
  const threeDSecure = { intentId: intent.id, amount, currency, last4: number.slice(-4) };
  return {
    status: 200,
    html: renderThreeDSecure({ sessionId: intent.id, merchant: MERCHANT, threeDSecure }),
  };
}
