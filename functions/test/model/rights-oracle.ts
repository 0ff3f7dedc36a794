import type { Expected } from './oracle.ts';
import type { SubscriptionTruth } from './truth.ts';

type Held = Pick<Expected, 'paid' | 'entitledUntil' | 'entitlements' | 'entitlementsUntil'>;

/** What entitles: for how long, infinite where nothing ends it, and to what beside `paid`. */
interface Entitling {
  readonly until: number;
  readonly grants: readonly string[];
}

const SHOWN_FIRST = ['active', 'trialing', 'past_due', 'paused', 'unpaid', 'incomplete'];

/** All that any of them brings that holds now; each part until the last of those that bring it does not. */
export function heldBy(now: number, all: readonly Entitling[]): Held {
  const held = all.filter(({ until }) => until > now);
  const lastOf = (some: readonly Entitling[]) => Math.max(...some.map(({ until }) => until));
  const names = ['basic', 'pro'].filter((name) => held.some(({ grants }) => grants.includes(name)));
  const ends = names.map(
    (name) => [name, lastOf(held.filter(({ grants }) => grants.includes(name)))] as const,
  );
  const last = lastOf(held);
  return {
    paid: held.length > 0,
    entitledUntil: Number.isFinite(last) ? last : null,
    entitlements: names,
    entitlementsUntil: ends.filter(([, until]) => Number.isFinite(until)),
  };
}

/** The one of two subscriptions that is shown: by its status, then the one that lasts longer. */
export function preferred(a: SubscriptionTruth | null, b: SubscriptionTruth): SubscriptionTruth {
  if (a === null) return b;
  const order = rank(a) - rank(b) || inSeconds(b.periodEnd) - inSeconds(a.periodEnd);
  // Nothing in the design decides here, only arrival must not.
  return order < 0 || (order === 0 && tieBreak(a) < tieBreak(b)) ? a : b;
}

function rank({ status }: SubscriptionTruth): number {
  const place = SHOWN_FIRST.indexOf(status);
  return place === -1 ? SHOWN_FIRST.length : place;
}

/** What a record shows of a subscription, as text: of two that tie, the lesser is shown. */
function tieBreak({ id, status, cancel, plan, periodEnd, trialEnd }: SubscriptionTruth): string {
  return JSON.stringify({
    status,
    cancel: cancel !== 'no',
    lookupKey: plan,
    periodEnd: inSeconds(periodEnd) * 1000,
    trialed: trialEnd !== null,
    id,
  });
}

/** The provider speaks of whole seconds; where they tie, ids decide. */
export function inSeconds(millis: number): number {
  return Math.floor(millis / 1000);
}
