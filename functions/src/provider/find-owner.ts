import type { Stripe } from 'stripe';
import { parseUid, type Uid } from '../domain/uid.ts';
import { readMetadata } from './metadata.ts';
import { productOf } from './translate-checkout-session.ts';

/**
 * Whose one-time purchase a charge is. Disputes and refunds carry no metadata and no customer, so the provider
 * is asked: they are rare. Null: the charge is not one of a pack or a lifetime plan.
 */
export async function findOwnerOfCharge(stripe: Stripe, charge: string): Promise<Uid | null> {
  const metadata = readMetadata((await stripe.charges.retrieve(charge)).metadata);
  return productOf(metadata) === null ? null : parseUid(metadata.uid);
}
