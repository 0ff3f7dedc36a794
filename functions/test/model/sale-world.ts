import { PACK, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Stripe } from 'stripe';
import { translateCheckoutSession } from '../../src/stripe/purchases.ts';
import { saleSeal } from '../../src/stripe/seal.ts';

const seal = saleSeal(['sk_test_of_the_service']);
const SOLD = { uid: 'ada', kind: 'pack', lookup_key: PACK.small, price_id: 'price_sold', credits: '10' };
const PRICES = {
  /** What checkout sold; its key has moved to a newer price since. */
  sold: { id: 'price_sold', lookup_key: null, metadata: {} },
  own: { id: 'price_own', lookup_key: PACK.small, metadata: { credits: '7' } },
  cheap: { id: 'price_cheap', lookup_key: null, metadata: {} },
} as const;

/** A one-time payment, by this service's checkout or by whoever else may make one. */
export interface Payment {
  readonly price: keyof typeof PRICES;
  readonly isSealed: boolean;
  /** By another project that has the same key at the provider; on a shared account. */
  readonly isOfOther: boolean;
  /** Keys of the metadata that were written over, or left out. */
  readonly forged: Readonly<Record<string, string | null>>;
  readonly reference: string | null;
  readonly isOfLink: boolean;
}

/** Whom the service takes a payment to name, and the credits that it grants. */
export function taken(
  { price, isSealed, isOfOther, forged, reference, isOfLink }: Payment,
  isShared: boolean,
) {
  const said = { ...SOLD, ...(isShared && isOfOther && { project: 'there' }) };
  const sold = isSealed ? seal.seal(said) : said;
  const written = Object.entries({ ...sold, ...forged }).filter(([, value]) => value !== null);
  const session = {
    ...{ id: 'cs_1', mode: 'payment', payment_status: 'paid', payment_intent: 'pi_1', customer: 'cus_1' },
    ...{ metadata: Object.fromEntries(written), client_reference_id: reference },
    payment_link: isOfLink ? 'plink_1' : null,
  } as unknown as Stripe.Checkout.Session;
  const seller = { project: 'here', catalog: testCatalog, ...(isShared && { open: seal.open }) };
  const { uid, fact } = translateCheckoutSession(session, 0, seller, [PRICES[price]]);
  return { uid: uid ?? null, credits: fact.kind === 'purchase_paid' ? fact.credits : 0 };
}
