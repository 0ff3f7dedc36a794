import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import type { SubscriptionFact, SubscriptionState } from '../stripe/facts.ts';
import { applyAsked, mergeSubscription, settleSubscription } from './subscription.ts';

const ACTIVE: SubscriptionState = {
  status: 'active',
  cancel: false,
  lookupKey: PLAN.monthly,
  periodEnd: 1_900_000_000_000,
  trialed: false,
};
const ENDING = { ...ACTIVE, cancel: true };
const LATER = 1_000_000_000;
const ENDED = { ...ACTIVE, status: 'canceled' };
const known: SubscriptionFact = { state: ACTIVE, first: false, at: 100_000, ticket: 3 };

const asked = (state: SubscriptionState, over: SubscriptionFact | null = known, ticket = 4) =>
  ({ kind: 'subscription_asked', subscription: 'sub_1', state, ticket, over, at: 0 }) as const;
const seen = (state: SubscriptionState, at: number) =>
  ({ kind: 'subscription_seen', subscription: 'sub_1', state, first: false, at }) as const;
const settledAs = (state: SubscriptionState): SubscriptionFact => {
  const fact = applyAsked(known, asked(state));
  if (fact === 'undecidable') throw new Error('nothing came in between');
  return fact;
};

describe('an answer of the provider that was asked for without an event', () => {
  it('holds, and keeps that there was a trial', () => {
    const trialed = { ...known, state: { ...ACTIVE, trialed: true } };
    expect(applyAsked(trialed, asked(ENDING, trialed))).toMatchObject({
      state: { ...ENDING, trialed: true },
      ticket: 4,
    });
    expect(applyAsked(undefined, asked(ACTIVE, null))).toMatchObject({ state: ACTIVE });
  });

  it.each([
    ['another event', { ...known, at: known.at + 1000 }],
    ['another state', { ...known, state: ENDING }],
    ['an answer under a lower ticket', { ...known, ticket: 2 }],
  ])('must be asked for again when %s was applied since', (_what, over) => {
    expect(applyAsked(known, asked(ENDING, over))).toBe('undecidable');
  });

  it('must be asked for again when the subscription became known since', () => {
    expect(applyAsked(known, asked(ENDING, null))).toBe('undecidable');
    expect(applyAsked(undefined, asked(ENDING))).toBe('undecidable');
  });

  it('gives way to the answer to a later question, and never undoes an end', () => {
    expect(applyAsked(known, asked(ENDING, known, 3))).toEqual(known);
    const ended = { ...known, state: ENDED };
    expect(applyAsked(ended, asked(ACTIVE, ended))).toEqual(ended);
  });

  it('has no time: an event that says something else cannot be ordered with it, whenever it was made', () => {
    for (const at of [0, known.at, known.at + 3_600_000]) {
      expect(mergeSubscription(settledAs(ENDING), seen(ACTIVE, at))).toBe('undecidable');
    }
  });

  it('stays without a time while the provider confirms it, and has one again once it moves on', () => {
    const fact = settledAs(ENDING);
    const event = seen(ACTIVE, known.at + 60_000);
    const confirmed = settleSubscription(fact, event, { token: 5, over: 1, state: ENDING }, LATER);
    expect(confirmed).toMatchObject({ state: ENDING, undated: true });
    const moved = settleSubscription(fact, event, { token: 5, over: 1, state: ACTIVE }, LATER);
    expect(moved).toMatchObject({ state: ACTIVE, at: event.at });
    expect(moved).not.toHaveProperty('undated');
    expect(mergeSubscription(fact, seen(ENDING, known.at + 60_000))).toMatchObject({ ...fact, merged: 2 });
  });

  it('is beaten by the end of the subscription', () => {
    expect(mergeSubscription(settledAs(ENDING), seen(ENDED, 0))).toMatchObject({ state: ENDED });
  });
});
