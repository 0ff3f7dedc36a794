import type Stripe from 'stripe';
import { newId, randomToken } from '../state/ids.ts';

export interface CardGiven {
  number: string;
  brand: string;
  customer: string | null;
  expMonth: number;
  expYear: number;
  email: string | null;
  name: string | null;
}

export function makeCard(now: number, given: CardGiven): Stripe.PaymentMethod {
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
    card: {
      brand: given.brand,
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      display_brand: given.brand,
      exp_month: given.expMonth,
      exp_year: given.expYear,
      fingerprint: randomToken(16),
      funding: 'credit',
      generated_from: null,
      last4: given.number.slice(-4),
      networks: { available: [given.brand], preferred: null },
      regulated_status: 'unregulated',
      three_d_secure_usage: { supported: true },
      wallet: null,
    },
    created: now,
    customer: given.customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  };
}
