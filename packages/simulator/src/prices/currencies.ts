import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { checkAmount, checkLeast, currencyGiven } from '../http/values.ts';
import type { CurrencyOption, World } from '../state/world.ts';
import { wireDecimal } from './price.ts';

type OptionsGiven = NonNullable<Stripe.PriceCreateParams['currency_options']>;

/**
 * The currencies beside its own that a request gives a price, by their names in small letters.
 * @throws StripeApiError 400 for a currency that Stripe does not know, the price's own, or one without an amount
 */
export function currencyOptionsGiven(
  given: OptionsGiven | undefined,
  own: string,
): Record<string, CurrencyOption> {
  const options: Record<string, CurrencyOption> = {};
  for (const [name, option] of Object.entries(given ?? {})) {
    const param = `currency_options[${name}]`;
    const currency = currencyGiven(name, param);
    if (currency === own)
      throw invalidRequest(
        `You cannot specify the price's default currency (\`${own}\`) in \`currency_options\`.`,
        param,
      );
    for (const other of ['custom_unit_amount', 'tiers'] as const)
      if (option[other] !== undefined)
        throw invalidRequest('The simulator has per-unit prices only.', `${param}[${other}]`);
    const { unit_amount: whole, unit_amount_decimal: decimal, tax_behavior: tax = 'unspecified' } = option;
    const amount = whole ?? (decimal === undefined ? undefined : Number(decimal));
    if (amount === undefined)
      throw invalidRequest(
        `Missing required param: ${param}[unit_amount].`,
        `${param}[unit_amount]`,
        'parameter_missing',
      );
    checkAmount(amount, currency, `${param}[unit_amount]`);
    checkLeast(amount, currency, `${param}[unit_amount]`);
    options[currency] = { unit_amount: amount, tax_behavior: tax };
  }
  return options;
}

/** Keeps them: Stripe shows them only where they are asked for (`expand`). */
export function keepCurrencyOptions(
  world: World,
  price: string,
  options: Readonly<Record<string, CurrencyOption>>,
): void {
  if (Object.keys(options).length > 0) world.facts.currencyOptions.set(price, { ...options });
  else world.facts.currencyOptions.delete(price);
}

/** The price's `currency_options` as they are answered: its own currency is among them. */
export function currencyOptionsOf(
  world: World,
  price: Pick<Stripe.Price, 'id' | 'currency' | 'unit_amount' | 'tax_behavior'>,
): Record<string, Stripe.Price.CurrencyOptions> {
  const own = { unit_amount: price.unit_amount ?? 0, tax_behavior: price.tax_behavior ?? 'unspecified' };
  const all = { [price.currency]: own, ...world.facts.currencyOptions.get(price.id) };
  return Object.fromEntries(
    Object.entries(all).map(([currency, { unit_amount, tax_behavior }]) => [
      currency,
      {
        custom_unit_amount: null,
        tax_behavior,
        unit_amount,
        unit_amount_decimal: wireDecimal(unit_amount) as Stripe.Price.CurrencyOptions['unit_amount_decimal'],
      },
    ]),
  );
}

/** Whether a price can be paid in a currency. */
export function supports(world: World, price: Stripe.Price, currency: string): boolean {
  return price.currency === currency || world.facts.currencyOptions.get(price.id)?.[currency] !== undefined;
}

/** What one unit of a price costs in a currency that it supports, in minor units. */
export function amountIn(world: World, price: Stripe.Price, currency: string): number {
  if (price.currency === currency) return price.unit_amount ?? 0;
  const option = world.facts.currencyOptions.get(price.id)?.[currency];
  if (option === undefined) throw new Error(`${price.id} has no amount in ${currency}`);
  return option.unit_amount;
}

/** @throws StripeApiError 400 for a price that cannot be paid in the currency */
export function refuseUnsupportedCurrency(
  world: World,
  price: Stripe.Price,
  currency: string,
  param: string,
): void {
  if (supports(world, price, currency)) return;
  const others = Object.keys(world.facts.currencyOptions.get(price.id) ?? {});
  const known = [price.currency, ...others].map((each) => `\`${each}\``).join(', ');
  throw invalidRequest(
    `The price specified only supports ${known}. This doesn't match the expected currency: \`${currency}\`.`,
    param,
  );
}
