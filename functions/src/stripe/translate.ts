import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import { isDocumentId, parseUid, type Uid } from '../store/documents.ts';
import type { BillingEvent, Fact } from './facts.ts';
import { type InvoiceQuestion, idOf, readMetadata, type Told } from './fields.ts';
import { translateInvoice } from './invoices.ts';
import {
  translateCharge,
  translateCheckoutSession,
  translateDispute,
  translateFailedRefund,
} from './purchases.ts';
import { readSubscription } from './subscriptions.ts';

/** Whose event it is: named on the object, or to be found through the customer or the charge. */
export interface Owner {
  readonly uid: Uid | null;
  readonly customer: string | null;
  /** The object has neither metadata nor a customer of its own (disputes, refunds), but its charge has. */
  readonly charge: string | null;
}

type Translated =
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

/** The provider's ids have up to 255 characters. */
const LONGEST_ID = 255;

/**
 * Why a fact cannot be kept, or null: an id that names nothing, an amount that is none. Stripe sends no such thing; an
 * event that someone made by hand may, and it would be delivered again for days if it ended in an error.
 */
function findFlaw(fact: Fact, customer: string | null, charge: string | null): string | null {
  if (customer !== null && !isId(customer)) return 'illegal customer id';
  if (charge !== null && !isId(charge)) return 'illegal charge id';
  switch (fact.kind) {
    case 'subscription_seen':
    case 'subscription_asked':
      return isId(fact.subscription) ? null : 'illegal subscription id';
    case 'purchase_paid':
      return isId(fact.purchase) ? null : 'illegal purchase id';
    case 'charge_refunded':
      if (!isId(fact.purchase) || !isId(fact.charge)) return 'illegal charge id';
      return isAmount(fact.amount) && isAmount(fact.refunded) ? null : 'refund without its amounts';
    case 'refund_failed':
      if (!isId(fact.purchase) || !isId(fact.refund)) return 'illegal refund id';
      return isAmount(fact.amount) ? null : 'refund without its amount';
    case 'dispute_seen':
      return isId(fact.purchase) && isId(fact.dispute) ? null : 'illegal dispute id';
    case 'invoice_disputed':
      if (!isId(fact.invoice) || !isId(fact.subscription)) return 'illegal invoice id';
      return isId(fact.dispute) ? null : 'illegal dispute id';
    case 'allowance_paid':
      return isId(fact.subscription) && isId(fact.invoice) ? null : 'illegal invoice id';
    case 'customer_deleted':
      return customer === null ? 'a customer without an id' : null;
    case 'customer_seen':
      return null;
    default:
      return fact satisfies never;
  }
}

/** What the facts are keyed by, so no name that every object has either. */
function isId(id: unknown): boolean {
  return isDocumentId(id, LONGEST_ID) && !(id in Object.prototype);
}

/** Minor currency units. */
function isAmount(amount: unknown): boolean {
  return Number.isSafeInteger(amount) && Number(amount) >= 0;
}

/** The event types that the webhook endpoint registers (specification, "Events", and its neighbours). */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.deleted',
  'invoice.paid',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'charge.dispute.closed',
  'refund.failed',
] as const satisfies readonly Stripe.Event.Type[];
