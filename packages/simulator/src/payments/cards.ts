import type Stripe from 'stripe';
import { newId, randomToken } from '../state/ids.ts';

/** Why a card was refused, in Stripe's words. */
export interface CardRefusal {
  code: string;
  declineCode: string;
  message: string;
}

const declined = (declineCode: string, message = 'Your card was declined.'): CardRefusal => ({
  code: 'card_declined',
  declineCode,
  message,
});

/** Stripe's test cards that are refused, by number (docs.stripe.com/testing). */
const REFUSED: Record<string, CardRefusal> = {
  '4000000000000002': declined('generic_decline'),
  '4000000000009995': declined('insufficient_funds', 'Your card has insufficient funds.'),
  '4000000000009987': declined('lost_card'),
  '4000000000009979': declined('stolen_card'),
  '4000000000000069': {
    code: 'expired_card',
    declineCode: 'expired_card',
    message: 'Your card has expired.',
  },
  '4000000000000127': {
    code: 'incorrect_cvc',
    declineCode: 'incorrect_cvc',
    message: "Your card's security code is incorrect.",
  },
  '4000000000000119': {
    code: 'processing_error',
    declineCode: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
};

/** Can be saved to a customer, and is refused at every charge. */
const REFUSED_LATER: Record<string, CardRefusal> = { '4000000000000341': declined('generic_decline') };

/** Whether the customer is there to be asked by their bank: has answered, can be asked, or is away (a renewal). */
export type Presence = 'confirmed' | 'there' | 'away';

/** A card whose bank asks the customer to confirm (3-D Secure). */
interface AskingCard {
  /** Also at charges that the customer is away from; the others count as set up by the first confirmation. */
  asksAway: boolean;
  /** What the bank says after the customer has confirmed. */
  refusal?: CardRefusal;
}

/** Stripe's test cards for 3-D Secure, by number (docs.stripe.com/testing#regulatory-cards). */
const ASKING: Readonly<Record<string, AskingCard>> = {
  '4000002500003155': { asksAway: false },
  '4000003800000446': { asksAway: false },
  '4000002760003184': { asksAway: true },
  '4000000000003220': { asksAway: true },
  '4000000000003063': { asksAway: true },
  '4000008400001629': { asksAway: true, refusal: declined('generic_decline') },
  '4000008260003178': {
    asksAway: true,
    refusal: declined('insufficient_funds', 'Your card has insufficient funds.'),
  },
};

/** What a bank answers that may not ask: the customer is away and the caller said so (`off_session`). */
export const AUTHENTICATION_REQUIRED: CardRefusal = {
  code: 'authentication_required',
  declineCode: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

/** What becomes of a payment whose customer did not confirm. */
export const NOT_AUTHENTICATED: CardRefusal = {
  code: 'payment_intent_authentication_failure',
  declineCode: 'authentication_required',
  message:
    'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
};

/** Whether the bank asks the customer to confirm a charge. */
export function asksThreeDSecure(digits: string, presence: Presence): boolean {
  const card = Object.hasOwn(ASKING, digits) ? ASKING[digits] : undefined;
  switch (presence) {
    case 'confirmed':
      return false;
    case 'there':
      return card !== undefined;
    case 'away':
      return card?.asksAway === true;
    default:
      return presence satisfies never;
  }
}

/** What happens to a charge of the card after it succeeded. */
type Aftermath = 'disputed' | 'inquired' | 'refund_fails' | null;

export function aftermathOf(digits: string): Aftermath {
  if (digits === '4000000000000259' || digits === '4000000000002685') return 'disputed';
  if (digits === '4000000000001976') return 'inquired';
  return digits === '4000000000005126' ? 'refund_fails' : null;
}

/** Digits only: people type spaces. */
export function cardDigits(typed: string): string {
  return typed.replace(/\D/g, '');
}

/** Whether the number passes the check digit (Luhn) and has a card's length. */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const doubled = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

export function cardBrand(digits: string): string {
  if (digits.startsWith('4')) return 'visa';
  if (/^(5[1-5]|2[2-7])/.test(digits)) return 'mastercard';
  if (/^3[47]/.test(digits)) return 'amex';
  if (/^6(011|5)/.test(digits)) return 'discover';
  return 'unknown';
}

/** What a charge to the card meets, once its customer has confirmed where that was asked: null when it succeeds. */
export function refusalOfCharge(digits: string): CardRefusal | null {
  return ASKING[digits]?.refusal ?? REFUSED[digits] ?? REFUSED_LATER[digits] ?? null;
}

/** What saving the card without a charge meets (a trial's start, an attach, a new card in the portal). */
export function refusalOfSetup(digits: string): CardRefusal | null {
  return REFUSED[digits] ?? null;
}

interface CardGiven {
  number: string;
  brand: string;
  customer: string | null;
  expMonth: number;
  expYear: number;
  email: string | null;
  name: string | null;
}

/** Who pays with a method, as far as they said. */
export function billingDetails({
  email,
  name,
}: Pick<CardGiven, 'email' | 'name'>): Stripe.PaymentMethod.BillingDetails {
  return {
    address: { city: null, country: null, line1: null, line2: null, postal_code: null, state: null },
    email,
    name,
    phone: null,
    tax_id: null,
  };
}

export function makeCard(now: number, given: CardGiven): Stripe.PaymentMethod {
  return {
    id: newId('pm'),
    object: 'payment_method',
    allow_redisplay: 'unspecified',
    billing_details: billingDetails(given),
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
