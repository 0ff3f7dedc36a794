import type { ServerResponse } from 'node:http';
import { cardDigits } from '../engine/cards.ts';
import { paySession } from '../engine/checkout-pay.ts';
import { renderCheckout } from '../pages/checkout.ts';
import { renderCheckoutClosed } from '../pages/checkout-closed.ts';
import type { CheckoutField } from '../pages/views.ts';
import type { World } from '../state/world.ts';
import { checkoutView } from './checkout-view.ts';
import { seeOther, sendHtml } from './html-response.ts';

/** The input that a refusal belongs to. */
function fieldOf(code: string): CheckoutField {
  if (code === 'incorrect_cvc') return 'cvc';
  if (code === 'expired_card') return 'exp';
  return 'number';
}

/** The hosted page of a checkout session: shows it (`form` null), or does what its form asks. */
export function answerCheckout(
  world: World,
  response: ServerResponse,
  sessionId: string,
  form: URLSearchParams | null,
): void {
  const session = world.tables.checkout_sessions.inPath(sessionId, 'session');
  const view = checkoutView(world, session);
  if (form?.get('action') === 'cancel' && session.cancel_url !== null) {
    seeOther(response, session.cancel_url);
    return;
  }
  if (session.status !== 'open') {
    sendHtml(response, 200, renderCheckoutClosed(view));
    return;
  }
  if (form === null) {
    sendHtml(response, 200, renderCheckout(view));
    return;
  }
  const email = form.get('email') || null;
  const name = form.get('name') || null;
  const typed = { email: email ?? undefined, name: name ?? undefined };
  if (form.get('action') === 'promotion') {
    const error = {
      field: 'promotion_code' as const,
      code: 'invalid_promotion_code',
      message: 'This code is invalid.',
    };
    sendHtml(response, 200, renderCheckout({ ...view, typed, error }));
    return;
  }
  const paid = paySession(world, session, { number: cardDigits(form.get('number') ?? ''), email, name });
  switch (paid.outcome) {
    case 'paid':
      seeOther(response, paid.redirect);
      return;
    case 'closed':
      sendHtml(response, 200, renderCheckoutClosed(checkoutView(world, session)));
      return;
    case 'refused': {
      const error = {
        field: fieldOf(paid.refusal.code),
        code: paid.refusal.code,
        message: paid.refusal.message,
      };
      sendHtml(response, 402, renderCheckout({ ...view, typed, error }));
      return;
    }
    default:
      paid satisfies never;
  }
}
