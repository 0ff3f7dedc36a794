import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { BillingEvent } from '../domain/events.ts';
import { parseUid, type Uid } from '../domain/uid.ts';
import { EVENT_TYPES } from './event-types.ts';
import { findFlaw } from './find-flaw.ts';
import { idOf } from './id-of.ts';
import { readMetadata } from './metadata.ts';
import type { InvoiceQuestion, Told } from './told.ts';
import { translateCheckoutSession } from './translate-checkout-session.ts';
import { translateInvoice } from './translate-invoice.ts';
import { translateCharge, translateDispute, translateFailedRefund } from './translate-money-back.ts';
import { readSubscription } from './translate-subscription.ts';

/** Whose event it is: named on the object, or to be found through the customer or the charge. */
export interface Owner {
  readonly uid: Uid | null;
  readonly customer: string | null;
  /** The object has neither metadata nor a customer of its own (disputes, refunds), but its charge has. */
  readonly charge: string | null;
}

export type Translated =
  | {
      readonly kind: 'event';
      readonly owner: Owner;
      readonly event: BillingEvent;
      /** What an invoice leaves open; null where the event itself says it all. */
      readonly ask: InvoiceQuestion | null;
    }
  | { readonly kind: 'ignored'; readonly reason: string };

type EventType = (typeof EVENT_TYPES)[number];

/**
 * A provider event in the words of the domain. Pure. Unknown types, statuses and fields never throw: what says
 * nothing about a user's rights is `ignored`, with the reason.
 */
export function translateEvent(event: Stripe.Event): Translated {
  if (!isRegistered(event.type)) return { kind: 'ignored', reason: `unhandled type ${event.type}` };
  // Where the account is a Connect platform, an endpoint may get its connected accounts' events too: what is sold
  // there is not this shop's, and metadata there is written by others (docs/decisions/0122-connected-accounts.md).
  if (typeof event.account === 'string') return { kind: 'ignored', reason: 'of a connected account' };
  const at = event.created * 1000;
  const told = tell(event.type, event.data.object, at);
  if (typeof told === 'string') return { kind: 'ignored', reason: told };
  const { fact, customer, charge = null, ask = null } = told;
  const flaw = findFlaw(fact, customer, charge);
  if (flaw !== null) return { kind: 'ignored', reason: flaw };
  const uid = parseUid(told.uid);
  // It names somebody, but nobody who can exist here: no other way to a user is tried.
  if (uid === null && typeof told.uid === 'string') return { kind: 'ignored', reason: 'illegal uid' };
  return {
    kind: 'event',
    owner: { uid, customer, charge },
    event: { id: event.id, type: event.type, at, customer, fact },
    ask,
  };
}

function isRegistered(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type);
}

/** A string is the reason why the object tells nothing. */
function tell(type: EventType, object: unknown, at: Millis): Told | string {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
      return translateCheckoutSession(object as Stripe.Checkout.Session, at);
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return translateSubscription(type, object as Stripe.Subscription, at);
    case 'customer.deleted': {
      const customer = object as Stripe.Customer;
      return {
        fact: { kind: 'customer_deleted', at },
        uid: readMetadata(customer.metadata).uid,
        customer: idOf(customer),
      };
    }
    case 'invoice.paid':
      return translateInvoice(object as Stripe.Invoice, at);
    case 'charge.refunded':
      return translateCharge(object as Stripe.Charge, at);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return translateDispute(object as Stripe.Dispute, at) ?? 'dispute that moves no money';
    case 'refund.failed':
      return translateFailedRefund(object as Stripe.Refund, at);
    default:
      return type satisfies never;
  }
}

function translateSubscription(type: EventType, object: Stripe.Subscription, at: Millis): Told {
  const state = readSubscription(object);
  const isDeleted = type === 'customer.subscription.deleted';
  return {
    fact: {
      kind: 'subscription_seen',
      subscription: object.id,
      state: isDeleted ? { ...state, status: 'canceled' } : state,
      first: type === 'customer.subscription.created',
      at,
    },
    uid: readMetadata(object.metadata).uid,
    customer: idOf(object.customer),
  };
}
