/**
 * How many decimals the provider counts in a currency's minor unit: 2 for most, 0 and 3 for its listed
 * exceptions (Stripe, "Supported currencies"; this differs from ISO 4217 for ISK, UGX and MGA).
 */
export function minorUnitDigits(currency: string): number;

/** An amount in minor units as a person reads it: `formatMoney(500, 'usd')` is `$5.00`, `('jpy')` is `¥500`. */
export function formatMoney(amount: number, currency: string): string;
