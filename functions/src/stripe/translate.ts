import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { Config as ServiceConfig } from '../config.ts';
import { isDocumentId, parseUid, type Uid } from '../store/documents.ts';
import type { StripeClient } from './client.ts';
import type { BillingEvent, Fact } from './facts.ts';
import { idOf, type ObjectFact, type Question, readInstant } from './fields.ts';
import { translateInvoice } from './invoices.ts';
import { isChanged } from './kept-sale.ts';
import {
  translateCharge,
  translateCheckoutSession,
  translateDispute,
  translateFailedRefund,
} from './purchases.ts';
import { isOfOtherProject, type Seller, saleOf } from './sale.ts';
import { readSubscription } from './subscriptions.ts';

type Config = Pick<ServiceConfig, 'webhookSecret' | 'providerSecretKey' | 'project'>;

/** Ids become document ids; Stripe's have up to 255 characters. */
const MAX_ID_LENGTH = 255;

/** Whose event it is: named on the object, or to be found through the customer or the charge. */
export interface Owner {
  readonly uid: Uid | null;
  readonly customer: string | null;
  /** The object has neither metadata nor a customer of its own (disputes, refunds), but its charge has. */
  readonly charge: string | null;
}

/** Stripe's event as the rest of the backend knows it: a fact about somebody, or why there is none. */
export type Delivery = { readonly id: string; readonly type: string } & (
  | {
      readonly kind: 'event';
      readonly owner: Owner;
      readonly event: BillingEvent;
      /** What the event leaves open; null where it says it all. */
      readonly ask: Question | null;
      /** The subscription runs at another price than its metadata is about: what was sold with it is to be kept. */
      readonly isChanged: boolean;
    }
  | { readonly kind: 'ignored'; readonly reason: string }
);

export interface RefusedDelivery {
  readonly kind: 'refused';
  /** `signature`: missing, stale, or not made for this body with this secret. `mode`: of test cards, or of real ones. */
  readonly why: 'signature' | 'mode' | 'not_json' | 'not_an_event';
}

/**
 * The event in a webhook's raw body, once its signature is checked.
 *
 * @param signature the header `Stripe-Signature`, '' where there is none
 */
export function readEvent(
  { webhooks }: Pick<StripeClient, 'webhooks'>,
  body: Buffer,
  signature: string,
  { webhookSecret, providerSecretKey }: Config,
): { readonly kind: 'signed'; readonly event: Stripe.Event } | RefusedDelivery {
  let event: unknown;
  try {
    event = webhooks.constructEvent(body, signature, webhookSecret);
  } catch (error) {
    return { kind: 'refused', why: error instanceof SyntaxError ? 'not_json' : 'signature' };
  }
  if (!isEvent(event)) return { kind: 'refused', why: 'not_an_event' };
  if (isOfOtherMode(event, providerSecretKey)) return { kind: 'refused', why: 'mode' };
  return { kind: 'signed', event };
}

function isEvent(value: unknown): value is Stripe.Event {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, created, data } = value as Partial<Record<'id' | 'type' | 'created' | 'data', unknown>>;
  const object = typeof data === 'object' && data !== null && 'object' in data ? data.object : null;
  return (
    isDocumentId(id, MAX_ID_LENGTH) &&
    typeof type === 'string' &&
    readInstant(created) !== null &&
    typeof object === 'object' &&
    object !== null &&
    !Array.isArray(object)
  );
}

/** Test cards pay nothing: what they buy is nothing to a service that takes real money, and the other way round. */
function isOfOtherMode({ livemode }: Partial<Stripe.Event>, secretKey: string): boolean {
  return typeof livemode === 'boolean' && livemode !== /^[rs]k_live_/.test(secretKey);
}

type EventType = (typeof EVENT_TYPES)[number];

/**
 * What an event says about a user's rights. Pure. Unknown types, statuses and fields never throw: what says nothing is
 * `ignored`, with the reason.
 *
 * @param seller this Firebase project among those that may sell on the same account, and what it sells
 */
export function translateEvent(event: Stripe.Event, seller: Seller): Delivery {
  const { id, type } = event;
  const ignored = (reason: string): Delivery => ({ kind: 'ignored', id, type, reason });
  if (isOfOtherProject(event.data.object, seller)) return ignored('sold by another project');
  if (!isRegistered(type)) return ignored(`unhandled type ${type}`);
  // Where the account is a Connect platform, an endpoint may get its connected accounts' events too: what is sold
  // there is not this shop's, and metadata there is written by others (docs/decisions/ownership-and-sale.md).
  if (typeof event.account === 'string') return ignored('of a connected account');
  const at = event.created * 1000;
  const found = factIn(type, event.data.object, at, seller);
  if (typeof found === 'string') return ignored(found);
  const { fact, customer, charge = null, ask = null } = found;
  const reason = validate(fact, customer, charge);
  if (reason !== null) return ignored(reason);
  const uid = parseUid(found.uid);
  // It names somebody, but nobody who can exist here: no other way to a user is tried.
  if (uid === null && typeof found.uid === 'string') return ignored('illegal uid');
  return {
    kind: 'event',
    id,
    type,
    owner: { uid, customer, charge },
    event: { id, type, at, customer, fact },
    ask,
    isChanged:
      fact.kind === 'subscription_seen' && isChanged(event.data.object as Stripe.Subscription, seller),
  };
}

function isRegistered(type: string): type is EventType {
  return (EVENT_TYPES as readonly string[]).includes(type);
}

/** What an object says; a string is the reason why that is nothing. */
function factIn(type: EventType, object: unknown, at: Millis, seller: Seller): ObjectFact | string {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
    case 'checkout.session.async_payment_failed':
      return translateCheckoutSession(object as Stripe.Checkout.Session, at, seller, null);
    case 'customer.subscription.created':
    case 'customer.subscription.updated':
    case 'customer.subscription.deleted':
      return translateSubscription(type, object as Stripe.Subscription, at, seller);
    case 'subscription_schedule.created':
    case 'subscription_schedule.updated':
    case 'subscription_schedule.released':
    case 'subscription_schedule.completed':
    case 'subscription_schedule.canceled':
    case 'subscription_schedule.aborted':
      return (
        translateSchedule(object as Stripe.SubscriptionSchedule, at, seller) ?? 'schedule of no subscription'
      );
    case 'customer.deleted': {
      const customer = object as Stripe.Customer;
      return {
        fact: { kind: 'customer_deleted', at },
        uid: saleOf({ metadata: [customer.metadata] }, seller).uid,
        customer: idOf(customer),
      };
    }
    case 'invoice.paid':
      return translateInvoice(object as Stripe.Invoice, at, seller);
    case 'charge.refunded':
      return translateCharge(object as Stripe.Charge, at, seller);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
    case 'charge.dispute.closed':
      return translateDispute(object as Stripe.Dispute, at, seller) ?? 'dispute that moves no money';
    case 'refund.failed':
      return translateFailedRefund(object as Stripe.Refund, at, seller);
    default:
      return type satisfies never;
  }
}

function translateSubscription(
  type: EventType,
  object: Stripe.Subscription,
  at: Millis,
  seller: Seller,
): ObjectFact {
  const { uid, state } = readSubscription(object, seller);
  const isDeleted = type === 'customer.subscription.deleted';
  return {
    fact: {
      kind: 'subscription_seen',
      subscription: object.id,
      state: isDeleted ? { ...state, status: 'canceled' } : state,
      first: type === 'customer.subscription.created',
      at,
    },
    uid,
    customer: idOf(object.customer),
  };
}

/** A schedule names prices, not plans, and may be one of several: the provider is asked what the subscription changes to. */
function translateSchedule(
  object: Stripe.SubscriptionSchedule,
  at: Millis,
  seller: Seller,
): ObjectFact | null {
  const subscription = idOf(object.subscription) ?? object.released_subscription ?? null;
  if (typeof subscription !== 'string') return null;
  return {
    fact: { kind: 'plan_asked', subscription, planned: null, ticket: 0, at },
    uid: saleOf({ metadata: [object.metadata] }, seller).uid,
    customer: idOf(object.customer),
    ask: { kind: 'schedule', subscription },
  };
}

/**
 * Why a fact cannot be kept, or null: an id that names nothing, an amount that is none. Stripe sends no such thing; an
 * event that someone made by hand may, and it would be delivered again for days if it ended in an error.
 */
function validate(fact: Fact, customer: string | null, charge: string | null): string | null {
  if (customer !== null && !isId(customer)) return 'illegal customer id';
  if (charge !== null && !isId(charge)) return 'illegal charge id';
  switch (fact.kind) {
    case 'subscription_seen':
    case 'subscription_asked':
    case 'plan_asked':
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
  return isDocumentId(id, MAX_ID_LENGTH) && !(id in Object.prototype);
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
  'subscription_schedule.created',
  'subscription_schedule.updated',
  'subscription_schedule.released',
  'subscription_schedule.completed',
  'subscription_schedule.canceled',
  'subscription_schedule.aborted',
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
