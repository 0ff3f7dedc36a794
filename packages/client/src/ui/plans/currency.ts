/** Key in `chrome.storage.local`: the currency that this user chose to see prices in. */
export const CURRENCY_KEY = 'billingCurrency';

/** Currencies that people pay in where they come from: the first two letters of one name its region (ISO 4217). */
const AT_HOME =
  'aed ars aud bgn brl cad chf clp cny cop czk dkk gbp hkd huf idr ils inr jpy krw mxn myr nok nzd php pln ron sek sgd thb try twd uah usd vnd zar';
/** And the other regions that pay in one. Everywhere else prices are in the catalogue's own. */
const ABROAD: Readonly<Record<string, string>> = {
  eur: 'AD AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK',
  usd: 'AS EC GU MP PR SV VI',
  gbp: 'GG IM JE',
  chf: 'LI',
  dkk: 'FO GL',
  nok: 'SJ',
};

/**
 * The currency that a page asks prices in: what its user chose, else that of the region in their language. Undefined
 * where neither says one: then prices are in their own.
 *
 * @param locale the browser's, such as `de-AT`; without a region its most likely one counts
 */
export function chooseCurrency(saved: string | null, locale: string): string | undefined {
  if (saved !== null) return saved;
  const region = regionOf(locale);
  return (
    Object.keys(ABROAD).find((currency) => ABROAD[currency]?.split(' ').includes(region)) ??
    AT_HOME.split(' ').find((currency) => region !== '' && currency.startsWith(region.toLowerCase()))
  );
}

function regionOf(locale: string): string {
  try {
    return new Intl.Locale(locale).maximize().region ?? '';
  } catch {
    return '';
  }
}

/** A stored value as a currency; null where it is none. */
export function parseCurrency(value: unknown): string | null {
  return typeof value === 'string' && /^[a-z]{3}$/.test(value) ? value : null;
}
