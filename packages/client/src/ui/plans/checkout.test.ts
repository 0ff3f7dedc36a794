import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { MINUTE } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { aSnapshot } from '../../../test/factories.ts';
import { providePricing } from '../../given-catalog.ts';
import { type OpenCheckout, parseOpenCheckout } from '../../snapshot/open-checkout.ts';
import { deriveCheckoutProgress } from './checkout.tsx';

providePricing(testCatalog);

const at = (packCredits: number) =>
  aSnapshot({ credits: { balance: packCredits, allowance: 0, packCredits, monthlyCredits: 1_000 } });
const opened = (fields: Partial<OpenCheckout> = {}): OpenCheckout => ({
  lookupKey: PACK.small,
  openedAt: 1_000,
  before: at(10),
  ...fields,
});

it('is open until the purchase arrives', () => {
  expect(deriveCheckoutProgress(opened(), at(10), 2_000)).toEqual({ kind: 'open' });
  expect(deriveCheckoutProgress(opened(), at(110), 2_000)).toEqual({ kind: 'arrived' });
  const lifetime = opened({ lookupKey: PLAN.lifetime });
  expect(deriveCheckoutProgress(lifetime, at(10), 2_000)).toEqual({ kind: 'open' });
  const bought = aSnapshot({ ...at(10), plan: PLAN.lifetime, state: 'lifetime' });
  expect(deriveCheckoutProgress(lifetime, bought, 2_000)).toEqual({ kind: 'arrived' });
});

it('takes a plan that was cancelled meanwhile, or its new allowance, for no purchase', () => {
  const cancelled = aSnapshot({ ...at(10), cancelAtPeriodEnd: true, state: 'cancel_pending' });
  expect(deriveCheckoutProgress(opened(), cancelled, 2_000)).toEqual({ kind: 'open' });
  const renewed = aSnapshot({
    credits: { balance: 1_010, allowance: 1_000, packCredits: 10, monthlyCredits: 1_000 },
  });
  expect(deriveCheckoutProgress(opened(), renewed, 2_000)).toEqual({ kind: 'open' });
});

it('sees a top-up that follows a spend of more than it adds', () => {
  const meanwhile = deriveCheckoutProgress(opened({ before: at(200) }), at(0), 2_000);
  if (meanwhile.kind !== 'still_open') throw new Error(meanwhile.kind);
  expect(deriveCheckoutProgress(meanwhile.checkout, at(100), 3_000)).toEqual({ kind: 'arrived' });
});

it('takes credits that a reservation let go for no purchase', () => {
  const held = aSnapshot({
    credits: { balance: 5, allowance: 0, packCredits: 5, monthlyCredits: 0, held: 5 },
  });
  expect(deriveCheckoutProgress(opened({ before: held }), at(10), 2_000).kind).toBe('open');
  expect(deriveCheckoutProgress(opened({ before: held }), at(110), 2_000).kind).toBe('arrived');
});

it('is forgotten after half an hour, and with another user', () => {
  expect(deriveCheckoutProgress(opened(), at(10), 1_000 + 30 * MINUTE).kind).toBe('open');
  expect(deriveCheckoutProgress(opened(), at(10), 1_001 + 30 * MINUTE).kind).toBe('forgotten');
  expect(deriveCheckoutProgress(opened(), aSnapshot({ uid: 'grace' }), 2_000).kind).toBe('forgotten');
});

it('reads what it stored, and nothing else', () => {
  expect(parseOpenCheckout(structuredClone(opened()))).toEqual(opened());
  for (const other of [undefined, null, {}, { ...opened(), before: null }]) {
    expect(parseOpenCheckout(other)).toBeNull();
  }
});
