import type { Offer } from '@extension-billing/contract/catalog';
import type { Period } from '@extension-billing/contract/period';
import { termsOfOffer, timesTerms } from '@extension-billing/contract/sold-terms';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../test/fuzz/budget.ts';
import { type Purchase, readMetadata, writeMetadata } from './fields.ts';

const every = fc.oneof(
  fc.constantFrom<Period>('month', 'week', 'day'),
  fc.integer({ min: 1, max: 9_999 }).map((hours): Period => `${hours}h`),
);
const amount = fc.integer({ min: 1, max: 1_000_000_000 });
const terms = fc.record(
  { every, rollover: amount, limits: fc.array(fc.record({ amount, every }), { minLength: 1, maxLength: 4 }) },
  { requiredKeys: ['every'] },
);
const SOLD: Purchase = {
  uid: 'ada',
  kind: 'subscription',
  lookupKey: 'club_yearly',
  priceId: 'price_1',
  credits: 0,
  monthlyCredits: 1000,
};

describe('what is sold with credits', () => {
  it('is read from the provider’s metadata as it was written', () => {
    const sold = fc.record(
      { terms, expiresAfterDays: fc.integer({ min: 1, max: 36_500 }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(sold, (more) => {
        const { credits: _, ...known } = { ...SOLD, ...more };
        expect(readMetadata(writeMetadata({ ...SOLD, ...more }))).toEqual(known);
      }),
      runs(500),
    );
  });

  it.each([
    [{ credits_every: 'fortnight' }, {}],
    [{ credits_every: '0h' }, {}],
    [{ credits_rollover: '100' }, {}],
    [
      { credits_every: 'day', credits_rollover: 'all', credits_limits: '5 a day' },
      { terms: { every: 'day' } },
    ],
    [
      { credits_every: 'day', credits_limits: '5/1h, 9/12h' },
      {
        terms: {
          every: 'day',
          limits: [
            { amount: 5, every: '1h' },
            { amount: 9, every: '12h' },
          ],
        },
      },
    ],
    [{ credits_expire_days: '-1' }, {}],
    [{ credits_expire_days: '90' }, { expiresAfterDays: 90 }],
  ])('%j says %j, and what is illegal says nothing', (metadata, said) => {
    expect(readMetadata(metadata)).toEqual(said);
  });

  it('comes by the clock unless each invoice brings a whole period of it', () => {
    const plan = testCatalog.plans.find(({ credits }) => credits !== null);
    if (plan === undefined) throw new Error('the tests sell no plan with credits');
    const sold = (change: Partial<Extract<Offer, { interval: string }>>) =>
      termsOfOffer({ ...plan, ...change });
    const credits = { amount: 1000, every: 'month' } as const;
    expect(sold({ credits })).toEqual({});
    expect(sold({ credits: null })).toEqual({});
    expect(sold({ credits, interval: 'year' })).toEqual({ terms: { every: 'month' } });
    expect(sold({ credits, interval: 'once', kind: 'lifetime' })).toEqual({ terms: { every: 'month' } });
    expect(sold({ credits: { ...credits, every: 'week' } })).toEqual({ terms: { every: 'week' } });
    expect(sold({ credits: { ...credits, rollover: 50 } })).toEqual({
      terms: { every: 'month', rollover: 50 },
    });
  });

  it('is three times as much for three of a price', () => {
    const limits = [{ amount: 10, every: '5h' as const }];
    expect(timesTerms({ every: 'month', rollover: 100, limits }, 3)).toEqual({
      ...{ every: 'month', rollover: 300, limits: [{ amount: 30, every: '5h' }] },
    });
  });
});
