import type { Millis } from '@extension-billing/contract/customer';
import { offerOf, pricing } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';
import type { Product } from '../domain/events.ts';
import { idOf } from './id-of.ts';
import { type PurchaseMetadata, readMetadata } from './metadata.ts';
import type { Told } from './told.ts';

/** Payment states that mean the money is there, or that none was asked for; none at all: before delayed methods. */
const SETTLED: ReadonlySet<unknown> = new Set(['paid', 'no_payment_required', undefined]);
/** None at all: before there were other modes. */
const ONE_TIME: ReadonlySet<unknown> = new Set(['payment', undefined]);

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
  if (!ONE_TIME.has(session.mode) || !SETTLED.has(session.payment_status) || product === null) {
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

/**
 * What was sold; where the metadata does not name the kind, its other fields do. Null for a subscription, and for what
 * neither the pricing file nor this project's tag knows.
 */
export function productOf({ kind, credits, lookupKey, project }: PurchaseMetadata): Product | null {
  const isKnown =
    project !== undefined || lookupKey === undefined || offerOf(pricing, lookupKey) !== undefined;
  if (!isKnown) return null;
  const sold = kind ?? (lookupKey === undefined ? undefined : offerOf(pricing, lookupKey)?.kind);
  if (sold !== undefined) return sold === 'subscription' ? null : sold;
  return credits === undefined ? null : 'pack';
}
