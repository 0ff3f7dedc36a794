import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../../test/factories.ts';
import { deriveCheckoutProgress, type OpenCheckout, parseOpenCheckout } from './open-checkout.ts';

const at = (balance: number) => aSnapshot({ credits: someCredits(balance) });
const opened = (fields: Partial<OpenCheckout> = {}): OpenCheckout => ({
  lookupKey: 'credits_pack_small',
  openedAt: 1_000,
  before: at(10),
  ...fields,
});
const MINUTE = 60_000;

it('is open until the purchase arrives', () => {
  expect(deriveCheckoutProgress(opened(), at(10), 2_000)).toEqual({ kind: 'open' });
  expect(deriveCheckoutProgress(opened(), at(110), 2_000)).toEqual({ kind: 'arrived' });
  const plan = deriveCheckoutProgress(opened(), aSnapshot({ ...at(10), plan: 'premium_lifetime' }), 2_000);
  expect(plan).toEqual({ kind: 'arrived' });
});

it('sees a top-up that follows a spend of more than it adds', () => {
  const meanwhile = deriveCheckoutProgress(opened({ before: at(200) }), at(0), 2_000);
  if (meanwhile.kind !== 'still_open') throw new Error(meanwhile.kind);
  expect(deriveCheckoutProgress(meanwhile.checkout, at(100), 3_000)).toEqual({ kind: 'arrived' });
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
