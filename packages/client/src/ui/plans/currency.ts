/** Key in `chrome.storage.local`: the currency that this user chose to see prices in. */
export const CURRENCY_KEY = 'billingCurrency';

/** Regions by the currency that people pay in there. Everywhere else prices are in the catalogue's own. */
const REGIONS: Readonly<Record<string, string>> = {
  eur: 'AD AT BE CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK',
  usd: 'AS EC GU MP PR SV US VI',
  gbp: 'GB GG IM JE',
  aed: 'AE',
  ars: 'AR',
  aud: 'AU',
  bgn: 'BG',
  brl: 'BR',
  cad: 'CA',
  chf: 'CH LI',
  clp: 'CL',
  cny: 'CN',
  cop: 'CO',
  czk: 'CZ',
  dkk: 'DK FO GL',
  hkd: 'HK',
  huf: 'HU',
  idr: 'ID',
  ils: 'IL',
  inr: 'IN',
  jpy: 'JP',
  krw: 'KR',
  mxn: 'MX',
  myr: 'MY',
  nok: 'NO SJ',
  nzd: 'NZ',
  php: 'PH',
  pln: 'PL',
  ron: 'RO',
  sek: 'SE',
  sgd: 'SG',
  thb: 'TH',
  try: 'TR',
  twd: 'TW',
  uah: 'UA',
  vnd: 'VN',
  zar: 'ZA',
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
  return Object.keys(REGIONS).find((currency) => REGIONS[currency]?.split(' ').includes(region));
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
