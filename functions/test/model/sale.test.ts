import { PACK } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { saleSeal } from '../../src/stripe/seal.ts';
import { type Mutation, mutated, wrong } from './mutate.ts';
import type { Payment } from './sale-world.ts';

// Payments by checkout, by payment links, and by users who write metadata: who is named, and what is granted.

const anyPayment: fc.Arbitrary<Payment> = fc.record({
  price: fc.constantFrom('sold', 'own', 'cheap'),
  isSealed: fc.boolean(),
  isOfOther: fc.boolean(),
  forged: fc.dictionary(
    fc.constantFrom('uid', 'credits', 'lookup_key', 'price_id', 'kind'),
    fc.constantFrom(null, 'eve', '1000', PACK.large, 'price_cheap'),
    { maxKeys: 3 },
  ),
  reference: fc.constantFrom(null, 'victim'),
  isOfLink: fc.boolean(),
});

/** On a shared account: written from docs/decisions/ownership-and-sale.md alone. */
function expectedShared({ price, isSealed, isOfOther, forged }: Payment) {
  const isOwnWord = isSealed && !isOfOther && Object.keys(forged).length === 0;
  const credits = price === 'own' ? 7 : isOwnWord && price === 'sold' ? 10 : 0;
  return { uid: isOwnWord ? 'ada' : null, credits };
}

/** Whom a payment names where only this service and its owner write metadata. */
function namedAlone({ forged, reference, isOfLink }: Payment): string | null {
  const uid = 'uid' in forged ? forged.uid : 'ada';
  if (uid !== null && uid !== undefined) return uid;
  const key = 'lookup_key' in forged ? forged.lookup_key : PACK.small;
  return !isOfLink && (key === PACK.small || key === PACK.large) ? reference : null;
}

const SALE = '../../src/stripe/sale.ts';
const SEAL = '../../src/stripe/seal.ts';
const OWN_SEAL = saleSeal(['sk_test_of_the_service']);

const isRight = async (mutations: readonly Mutation[]): Promise<boolean> => {
  const { taken } = await mutated('./sale-world.ts', mutations);
  const right = fc.property(anyPayment, (payment) => {
    expect(taken(payment, true)).toEqual(expectedShared(payment));
    expect(taken(payment, false).uid).toBe(namedAlone(payment));
  });
  return !fc.check(right, { seed: 7, numRuns: 2_000 }).failed;
};

describe('payments of anybody', () => {
  it('grant what was sold, and name who bought it', async () => {
    expect(await isRight([])).toBe(true);
  });

  it.each<[string, Mutation]>([
    [
      'believes plain metadata on a shared account',
      wrong(SALE, ({ saleOf }) => ({
        saleOf: (signs, { project, catalog }) => saleOf(signs, { project, catalog }),
      })),
    ],
    [
      'believes a seal of another project',
      wrong(SALE, ({ saleOf }) => ({
        saleOf: (signs, seller) => saleOf(signs, { ...seller, project: null }),
      })),
    ],
    [
      'believes a seal without checking it',
      wrong(SEAL, () => ({ saleSeal: () => ({ ...OWN_SEAL, open: () => 'for_its_price' }) })),
    ],
    [
      'believes a seal on any price',
      wrong(SEAL, () => ({
        saleSeal: () => ({
          ...OWN_SEAL,
          open: (metadata, object) => OWN_SEAL.open(metadata, object) && 'for_the_object',
        }),
      })),
    ],
    [
      'believes the reference of a payment link',
      wrong('../../src/stripe/purchases.ts', ({ translateCheckoutSession }) => ({
        translateCheckoutSession: (session, ...rest) =>
          translateCheckoutSession({ ...session, payment_link: null }, ...rest),
      })),
    ],
  ])('would be wrong if the service %s', async (_name, mutation) => {
    expect(await isRight([mutation])).toBe(false);
  });
});
