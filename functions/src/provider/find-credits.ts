import type { Stripe } from 'stripe';
import type { Fact } from '../domain/events.ts';
import { readMetadata } from './metadata.ts';

/**
 * The fact with the credits that a price gives each month (0 for one of a plan that is not metered), as the provider
 * has them now. Where it does not know the price, what the invoice itself said stays.
 *
 * @param creditsOf null where the invoice says it all: nothing is asked then
 */
export async function findCredits(
  stripe: () => Promise<Stripe>,
  fact: Fact,
  creditsOf: string | null,
): Promise<Fact> {
  if (creditsOf === null || fact.kind !== 'allowance_paid') return fact;
  try {
    const { metadata } = await (await stripe()).prices.retrieve(creditsOf);
    return { ...fact, credits: readMetadata(metadata).monthlyCredits ?? 0 };
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return fact;
    throw error;
  }
}
