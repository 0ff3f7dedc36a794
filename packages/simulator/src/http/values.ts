import { formatMoney } from '../pages/money.js';
import { invalidRequest } from './errors.ts';

/** The currencies that Stripe takes payments in (docs.stripe.com/currencies). */
const CURRENCIES = new Set(
  (
    'usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad cdf chf ' +
    'clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl hrk htg huf idr ' +
    'ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga mkd mmk mnt mop mur mvr ' +
    'mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron rsd rub rwf sar sbd scr sek sgd ' +
    'shp sle sll sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs vnd vuv wst xaf xcd xcg xof xpf yer ' +
    'zar zmw'
  ).split(' '),
);

/** The least that Stripe charges, in minor units (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const LEAST: Readonly<Record<string, number>> = {
  aed: 200,
  aud: 50,
  bgn: 100,
  brl: 50,
  cad: 50,
  chf: 50,
  czk: 1500,
  dkk: 250,
  eur: 50,
  gbp: 30,
  hkd: 400,
  huf: 17_500,
  inr: 50,
  jpy: 50,
  mxn: 1000,
  myr: 200,
  nok: 300,
  nzd: 50,
  pln: 200,
  ron: 200,
  sek: 300,
  sgd: 50,
  thb: 1000,
  usd: 50,
};

/**
 * A currency in small letters.
 * @throws StripeApiError 400 for one that Stripe does not know
 */
export function currencyGiven(named: string, param = 'currency'): string {
  const currency = named.toLowerCase();
  if (!CURRENCIES.has(currency))
    throw invalidRequest(
      `Invalid currency: ${currency}. Stripe currently supports these currencies: ${[...CURRENCIES].join(', ')}`,
      param,
    );
  return currency;
}

/** Currencies with three decimals, of which the last must be 0, and ones that are sold in whole hundreds of minor units. */
const THREE_DECIMALS = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
const WHOLE_HUNDREDS = new Set(['isk', 'ugx']);
/** Eight digits (docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const MAX_AMOUNT = 99_999_999;

/**
 * Refuses an amount that Stripe can't charge in that currency: negative, over eight digits, or finer than the currency.
 *
 * @param amount minor currency units
 * @throws StripeApiError 400
 */
export function checkAmount(amount: number, currency: string, param: string): void {
  if (amount < 0) throw invalidRequest('Invalid non-negative integer', param, 'parameter_invalid_integer');
  if (amount > MAX_AMOUNT)
    throw invalidRequest(
      `Amount must be no more than ${formatMoney(MAX_AMOUNT, currency)}`,
      param,
      'amount_too_large',
    );
  const step = WHOLE_HUNDREDS.has(currency) ? 100 : THREE_DECIMALS.has(currency) ? 10 : 1;
  if (amount % step !== 0)
    throw invalidRequest(
      `Invalid amount: ${currency} amounts must be divisible by ${step}.`,
      param,
      'parameter_invalid_integer',
    );
}

/** Whether an amount is due and too small to be charged; a currency without a documented minimum has none here. */
export function isTooSmall(amount: number, currency: string): boolean {
  return amount > 0 && amount < (LEAST[currency] ?? 0);
}

/**
 * Refuses an amount that is charged and too small. Where no minimum is documented, Stripe's is that of the account's
 * own currency at the day's rate: the simulator lets it pass.
 *
 * @throws StripeApiError 400 `amount_too_small`
 */
export function checkLeast(
  amount: number,
  currency: string,
  param?: string,
  what = 'Amount must be at least',
): void {
  if (!isTooSmall(amount, currency)) return;
  const least = formatMoney(LEAST[currency] ?? 0, currency);
  throw invalidRequest(`${what} ${least} ${currency}`, param, 'amount_too_small');
}

/**
 * Refuses an address that a browser could not be sent to: Stripe takes http and https only.
 * @throws StripeApiError 400 `url_invalid`
 */
export function checkAddress(given: string | null | undefined, param: string): void {
  if (given === undefined || given === null || given === '') return;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalidRequest('Not a valid URL', param, 'url_invalid');
}

/**
 * Refuses what is no e-mail address.
 * @throws StripeApiError 400 `email_invalid`
 */
export function checkEmail(given: string | null | undefined, param: string): void {
  if (given === undefined || given === null || given === '') return;
  if (!/^[^\s@]+@[^\s@]+$/.test(given))
    throw invalidRequest(`Invalid email address: ${given}`, param, 'email_invalid');
}

/**
 * Metadata after a request's changes: an empty value removes its key, the empty string removes them all.
 * Limits as Stripe's: 50 keys, keys of 40 characters, values of 500.
 */
export function mergedMetadata(
  before: Record<string, string> | null,
  change: Record<string, string | number | null> | '' | null | undefined,
): Record<string, string> {
  if (change === undefined || change === null) return { ...before };
  if (change === '') return {};
  const after: Record<string, string> = { ...before };
  for (const [key, value] of Object.entries(change)) {
    if (key.length > 40)
      throw invalidRequest(
        `Metadata keys can be at most 40 characters. You passed in a key that was ${key.length} characters. Invalid key: ${key}`,
        'metadata',
      );
    const text = String(value ?? '');
    if (text.length > 500)
      throw invalidRequest(
        `Metadata values can have up to 500 characters, but you passed in a value that is ${text.length} characters. Invalid value: ${text}`,
        `metadata[${key}]`,
      );
    if (text === '') delete after[key];
    else after[key] = text;
  }
  const count = Object.keys(after).length;
  if (count > 50)
    throw invalidRequest(`You can have up to 50 metadata keys. You passed in ${count}.`, 'metadata');
  return after;
}
