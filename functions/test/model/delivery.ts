import fc from 'fast-check';
import type { Stripe } from 'stripe';
import { isByHand } from './by-hand.ts';
import { anyCreditPlan, type CreditArrival, type CreditPlan, creditArrivals } from './credit-arrivals.ts';
import type { Change } from './provider-model.ts';

/** The process ends, or Firestore fails, at one call while an arrival is handled. */
export interface Crash {
  /** Which of the calls to Firestore and to the claims, from 0. None, when there are fewer. */
  readonly call: number;
  /** `after`: the call was carried out, its answer is lost. */
  readonly when: 'before' | 'after';
  /** `kill`: everything in memory is gone. `unavailable`: Firestore says so once. */
  readonly how: 'kill' | 'unavailable';
}

/** One thing that reaches the service. */
export type Arrival = (EventArrival | CreditArrival) & { readonly crash?: Crash };

export interface EventArrival {
  readonly kind: 'event';
  readonly change: Change;
  readonly event: Stripe.Event;
  /** The provider's present while this is handled: the last change that a GET can see. */
  readonly present: number;
}

/** How events travel: plain numbers, so that a failing case shrinks towards the provider's own order. */
export interface Journey {
  readonly order: 'sent' | 'nearly' | 'reverse' | 'shuffled';
  /** One per arrival, used in turn: how far it strays from its place. */
  readonly stray: readonly number[];
  /** Copies of the same event, by position modulo the number of events. */
  readonly copies: readonly number[];
  /** Other events for the same change. */
  readonly twins: readonly number[];
  /** Positions of events that are stamped a second late. */
  readonly late: readonly number[];
  readonly credits: CreditPlan;
  /** How far the provider is ahead of what it has delivered, in percent of what is left. */
  readonly ahead: number;
  /** Days after the last change at which the account is looked at, with nothing heard meanwhile. */
  readonly look: number;
  /** Where the process dies, by position modulo the number of arrivals. */
  readonly crashes: readonly (Crash & { readonly place: number })[];
}

const position = fc.nat(60);

export const anyJourney: fc.Arbitrary<Journey> = fc.record({
  order: fc.constantFrom('sent', 'nearly', 'reverse', 'shuffled', 'shuffled', 'shuffled'),
  stray: fc.array(fc.nat(1000), { minLength: 40, maxLength: 40, size: 'max' }),
  copies: fc.array(position, { maxLength: 5 }),
  twins: fc.array(position, { maxLength: 4 }),
  late: fc.array(position, { maxLength: 4 }),
  credits: anyCreditPlan,
  ahead: fc.constantFrom(0, 0, 30, 100),
  look: fc.constantFrom(0, 2, 4, 8, 20, 31, 40, 400),
  crashes: fc.array(
    fc.record({
      place: position,
      call: fc.nat(5),
      when: fc.constantFrom('before', 'after'),
      how: fc.constantFrom('kill', 'unavailable'),
    }),
    { maxLength: 3 },
  ),
});

/** The arrivals of a journey, in the order in which they reach the service. */
export function arrivalsOf(uid: string, changes: readonly Change[], journey: Journey): Arrival[] {
  const sent = sentEvents(changes, journey);
  const strayAt = (index: number) => journey.stray[index % Math.max(1, journey.stray.length)] ?? 0;
  const places = sent.map(({ change }, index) => {
    const place = changes.length === 0 ? 0 : change.seq / changes.length;
    switch (journey.order) {
      case 'sent':
        return place;
      case 'nearly':
        return place + (strayAt(index) / 1000) * (4 / changes.length);
      case 'reverse':
        return 1 - place;
      case 'shuffled':
        return strayAt(index) / 1000;
      default:
        return journey.order satisfies never;
    }
  });
  const items = [
    ...sent.map((item, index) => ({ place: places[index] ?? 0, item: { kind: 'event' as const, ...item } })),
    ...creditArrivals(uid, journey.credits),
  ];
  items.sort((a, b) => a.place - b.place);
  const arrivals: Arrival[] = withPresent(
    items.map(({ item }) => item),
    changes.length,
    journey.ahead,
  );
  for (const { place, ...crash } of journey.crashes) {
    const index = place % Math.max(1, arrivals.length);
    const arrival = arrivals[index];
    if (arrival !== undefined) arrivals[index] = { ...arrival, crash };
  }
  return arrivals;
}

interface Sent {
  readonly change: Change;
  readonly event: Stripe.Event;
}

function sentEvents(changes: readonly Change[], journey: Journey): Sent[] {
  const pick = (position: number): Change | undefined => changes[position % Math.max(1, changes.length)];
  const late = new Set(journey.late.map((position) => pick(position)?.seq));
  const stamped = (change: Change, by: number, id = change.event.id): Sent => ({
    change,
    event: { ...change.event, id, created: change.event.created + by },
  });
  const originals = changes.map((change) => stamped(change, late.has(change.seq) ? 1 : 0));
  const copies = journey.copies.flatMap(
    (position) => originals[position % Math.max(1, changes.length)] ?? [],
  );
  const twins = journey.twins.flatMap((position, index) => {
    const change = pick(position);
    if (change === undefined) return [];
    const id = isByHand(change.event) ? change.event.id : `${change.event.id}_twin${index}`;
    return [stamped(change, index % 2, id)];
  });
  return [...originals, ...copies, ...twins];
}

type Unplaced = Omit<EventArrival, 'present'> | CreditArrival;

/** The provider is never behind what it has delivered, and never goes back. */
function withPresent(
  items: readonly Unplaced[],
  count: number,
  ahead: number,
): (EventArrival | CreditArrival)[] {
  let delivered = 0;
  return items.map((item) => {
    if (item.kind !== 'event') return item;
    delivered = Math.max(delivered, item.change.seq);
    return { ...item, present: delivered + Math.floor(((count - 1 - delivered) * ahead) / 100) };
  });
}
