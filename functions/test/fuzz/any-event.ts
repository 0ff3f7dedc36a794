import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { EVENT_TYPES } from '../../src/stripe/translate.ts';
import {
  anEvent,
  invoicePaid,
  lifetimeBought,
  type PostedEvent,
  packBought,
  packRefunded,
  subscriptionEvent,
} from '../factories/provider-events.ts';
import { oddText, oddValue } from './odd-values.ts';

export const UID = 'ada';
const buyer = { uid: UID, paymentIntent: 'pi_1', customer: 'cus_1' };
const plan = { uid: UID, subscription: 'sub_1' };
const dispute = { id: 'dp_1', object: 'dispute', charge: 'ch_pi_1', payment_intent: 'pi_1' };

/** One well-formed event of every kind, all of one user. */
const wellFormed: readonly PostedEvent[] = [
  packBought(buyer),
  packBought(buyer, 100, { customer: { id: 'cus_1', object: 'customer' } }),
  lifetimeBought({ uid: UID, paymentIntent: 'pi_2' }),
  packRefunded(buyer, 250),
  packRefunded(buyer, 500),
  subscriptionEvent('created', plan, { status: 'trialing', trial_end: 1_800_000_000 }),
  subscriptionEvent('updated', plan),
  subscriptionEvent('deleted', plan),
  invoicePaid(plan, { invoice: 'in_1' }),
  invoicePaid(plan, { invoice: 'in_2', period: 1 }),
  anEvent('charge.dispute.created', { ...dispute, status: 'needs_response' }),
  anEvent('charge.dispute.closed', { ...dispute, status: 'won' }),
  anEvent('refund.failed', {
    id: 're_1',
    object: 'refund',
    charge: 'ch_pi_1',
    payment_intent: 'pi_1',
    amount: 250,
  }),
  anEvent('customer.deleted', { id: 'cus_1', object: 'customer', metadata: { uid: UID } }),
];
export const anyEvent = fc.constantFrom(...wellFormed).map(delivered);

/** As it comes over the wire: JSON, parsed by the SDK. */
export function delivered(event: object): Stripe.Event {
  return JSON.parse(JSON.stringify(event)) as Stripe.Event;
}

type Path = readonly string[];

/** The paths to every field in an object, through lists too. */
function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const inside = Object.entries(value).flatMap(([key, field]) => pathsIn(field, [...at, key]));
  return at.length === 0 ? inside : [at, ...inside];
}

/** The object with one field put in (`undefined` takes it out). */
export function withField(value: unknown, [key, ...rest]: Path, field: unknown): unknown {
  if (key === undefined) return field;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value)
    ? [...value]
    : { ...(value as object) };
  const before = Object.hasOwn(copy, key) ? (copy as Record<string, unknown>)[key] : {};
  Object.defineProperty(copy, key, {
    value: withField(before ?? {}, rest, field),
    configurable: true,
    enumerable: true,
    writable: true,
  });
  return copy;
}

/** A signed event whose object is not what the provider's documents say: one to three fields are gone or odd. */
export const oddEvent: fc.Arbitrary<Stripe.Event> = fc.oneof(
  { weight: 5, arbitrary: damagedEvent() },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...EVENT_TYPES), fc.dictionary(oddText, oddValue))
      .map(([type, object]) => delivered(anEvent(type, object))),
  },
);

function damagedEvent(): fc.Arbitrary<Stripe.Event> {
  return fc.constantFrom(...wellFormed).chain((event) => {
    const path = fc.constantFrom(...pathsIn(event.data.object));
    const damage = fc.tuple(path, fc.option(oddValue, { nil: undefined }));
    return fc.array(damage, { minLength: 1, maxLength: 3 }).map((damages) => {
      const object = damages.reduce<unknown>(
        (whole, [at, field]) => withField(whole, at, field),
        event.data.object,
      );
      return delivered({ ...event, data: { object } });
    });
  });
}

/** The same event with fields that nobody has heard of, at the root of its object, in its metadata and beside it. */
export const withUnknownFields: fc.Arbitrary<readonly [Stripe.Event, Stripe.Event]> = fc
  .tuple(
    anyEvent,
    fc.dictionary(
      fc.string().map((name) => `new_${name}`),
      oddValue,
      { minKeys: 1, maxKeys: 3 },
    ),
  )
  .map(([event, more]) => {
    const object = event.data.object as unknown as { readonly metadata?: object };
    const metadata = { ...object.metadata, ...more };
    return [
      event,
      delivered({ ...event, ...more, data: { ...more, object: { ...object, ...more, metadata } } }),
    ];
  });
