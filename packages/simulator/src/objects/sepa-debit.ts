import type Stripe from 'stripe';
import { newId, randomToken } from '../state/ids.ts';

/** A bank account that is debited by SEPA. */
export function makeSepaDebit(
  now: number,
  given: { iban: string; email: string | null; name: string | null },
): Stripe.PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: {
      address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
      email: given.email,
      name: given.name,
      phone: null,
      tax_id: null,
    },
    created: now,
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    sepa_debit: {
      bank_code: given.iban.slice(4, 9),
      branch_code: '',
      country: given.iban.slice(0, 2),
      fingerprint: randomToken(16),
      generated_from: { charge: null, setup_attempt: null },
      last4: given.iban.slice(-4),
    },
    type: 'sepa_debit',
  };
}
