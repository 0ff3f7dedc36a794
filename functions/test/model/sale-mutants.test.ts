import { PACK } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Mutation, mutated } from './mutate.ts';
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

async function failureOf(mutations: readonly Mutation[]): Promise<string | null> {
  const { taken } = await mutated('./sale-world.ts', mutations);
  const { counterexample } = fc.check(
    fc.property(anyPayment, (payment) => {
      expect(taken(payment, true)).toEqual(expectedShared(payment));
      expect(taken(payment, false).uid).toBe(namedAlone(payment));
    }),
    { seed: 7, numRuns: 2_000 },
  );
  return counterexample === null ? null : JSON.stringify(counterexample);
}

const SALE = 'functions/src/stripe/sale.ts';
const SEAL = 'functions/src/stripe/seal.ts';
const PURCHASES = 'functions/src/stripe/purchases.ts';

describe('payments of anybody', () => {
  it('grant what was sold, and name who bought it', async () => {
    expect(await failureOf([])).toBeNull();
  });

  it.each<[string, Mutation]>([
    [
      'plain metadata on a shared account',
      { file: SALE, right: 'if (open === undefined) {', wrong: 'if (true) {' },
    ],
    ['a seal on any price', { file: SALE, right: '|| isOfPrice) return', wrong: '|| true) return' }],
    ['the seal of another project', { file: SALE, right: 'said.project !== project', wrong: 'false' }],
    [
      'a seal that is not looked at',
      { file: SEAL, right: "if (isOf('')) return", wrong: 'if (true) return' },
    ],
    [
      'a seal over the user alone',
      { file: SEAL, right: 'const said = SALE_KEYS.flatMap(', wrong: "const said = ['uid'].flatMap(" },
    ],
    [
      'a reference beside anything',
      {
        file: SALE,
        right: '(isNamed(claimed, catalog) ? (reference ?? undefined) : undefined)',
        wrong: '(reference ?? undefined)',
      },
    ],
    [
      'a payment link’s reference',
      { file: PURCHASES, right: '(session.payment_link ?? null) === null ?', wrong: 'true ?' },
    ],
  ])('would be wrong by %s', async (_name, mutation) => {
    expect(await failureOf([mutation])).not.toBeNull();
  });
});
