import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { idOf } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { unapplyBalance } from './customer-balance.ts';
import { markDelinquent } from './invoices.ts';

/** Gives an open invoice up: void as if it had never been, or written off as uncollectible. */
export function closeInvoice(
  world: World,
  invoice: Stripe.Invoice,
  status: 'void' | 'uncollectible',
): Stripe.Invoice {
  if (invoice.status !== 'open')
    throw invalidRequest(
      `You can only do this to an open invoice. This one is ${invoice.status}.`,
      undefined,
      'status_transition_invalid',
    );
  const scope = world.scopeOf(idOf(invoice.customer));
  const now = world.clock.now(scope);
  invoice.status = status;
  invoice.auto_advance = false;
  invoice.next_payment_attempt = null;
  if (status === 'void') {
    invoice.status_transitions.voided_at = now;
    unapplyBalance(world, invoice, world.tables.customers.known(idOf(invoice.customer)));
  }
  if (status === 'uncollectible') {
    invoice.status_transitions.marked_uncollectible_at = now;
    markDelinquent(world, invoice, false);
  }
  world.emit(status === 'void' ? 'invoice.voided' : 'invoice.marked_uncollectible', invoice, scope);
  return invoice;
}
