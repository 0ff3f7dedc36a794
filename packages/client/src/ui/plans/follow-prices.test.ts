import { expect, it } from 'vitest';
import { parseKept } from './follow-prices.ts';

const PRICE = { lookupKey: 'pro_monthly', amount: 800, currency: 'eur' };
const KEPT = { uid: 'ada', currency: 'eur', at: 1_000, prices: [PRICE] };

it('prices are shown as they were stored', () => {
  expect(parseKept(KEPT)).toEqual(KEPT);
  expect(parseKept({ ...KEPT, currency: undefined })).toMatchObject({ currency: null });
});

it('what is no price is left out, whatever the service answered', () => {
  const odd = [null, 5, {}, { ...PRICE, amount: '8' }, { ...PRICE, currency: 'EUR' }, PRICE];
  expect(parseKept({ ...KEPT, prices: odd })?.prices).toEqual([PRICE]);
});

it.each([null, 5, {}, { ...KEPT, uid: null }, { ...KEPT, at: 'now' }, { ...KEPT, prices: 'free' }])(
  '%j in storage says nothing',
  (value) => {
    expect(parseKept(value)).toBeNull();
  },
);
