import type { Stripe } from 'stripe';
import type { Millis } from '../contract/customer.ts';
import { LIFETIME_PLAN } from '../domain/entitlement.ts';
import type { Product } from '../domain/events.ts';
import { idOf } from './id-of.ts';
import { type PurchaseMetadata, readMetadata } from './metadata.ts';
import type { Told } from './translate-event.ts';

/** Payment states that mean the money is there, or that none was asked for. */
const SETTLED: ReadonlySet<string> = new Set(['paid', 'no_payment_required']);

/**
 * A checkout that ended. A one-time purchase counts once it is paid: delayed methods complete as `unpaid` and
 * are followed by `async_payment_succeeded`. A subscription's own events tell the rest of it.
 */
export function translateCheckoutSession(session: Stripe.Checkout.Session, at: Millis): Told {
  const metadata = readMetadata(session.metadata);
  const told = {
    uid: metadata.uid ?? session.client_reference_id,
    customer: idOf(session.customer),
  };
  const product = productOf(metadata);
  if (session.mode !== 'payment' || !SETTLED.has(session.payment_status) || product === null) {
    return { ...told, fact: { kind: 'customer_seen', at } };
  }
  return {
    ...told,
    fact: {
      kind: 'purchase_paid',
      purchase: idOf(session.payment_intent) ?? session.id,
      product,
      credits: product === 'pack' ? (metadata.credits ?? 0) : 0,
      lookupKey: metadata.lookupKey ?? null,
      at,
    },
  };
}

/** What was sold; where the metadata does not name the kind, its other fields do. */
export function productOf({ kind, credits, lookupKey }: PurchaseMetadata): Product | null {
  if (kind === 'pack' || kind === 'lifetime') return kind;
  if (kind !== undefined) return null;
  if (lookupKey === LIFETIME_PLAN) return 'lifetime';
  return credits === undefined ? null : 'pack';
}
