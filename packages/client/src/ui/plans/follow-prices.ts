import { showPrices } from '../../given-catalog.ts';
import type { OfferPrice, PricesResult } from '../../messages.ts';
import { pageBrowser } from '../../page-browser.ts';
import { send } from '../../send.ts';
import { type KeptPrices, keyHere, PRICES_KEY } from '../../snapshot/snapshot.ts';
import { CURRENCY_KEY, chooseCurrency, parseCurrency } from './currency.ts';
import type { PriceWord } from './prices.tsx';
import { withPrices } from './with-prices.ts';

/** As long as the service caches them. */
const FRESH_MS = 60_000;

/**
 * Shows what offers cost this user, as the service charges it (docs/decisions/checkout.md), and says how sure
 * that is, also when it changes. Returns the function that ends it.
 *
 * @param uid who is signed in; null for nobody, whom the service tells nothing
 */
export function followPrices(uid: string | null, say: (word: PriceWord) => void): () => void {
  let isOver = false;
  const browser = pageBrowser();
  // Every page shows at once what the worker told one of them.
  const key = keyHere(PRICES_KEY, browser);

  async function look(): Promise<void> {
    const { local, session } = browser.storage;
    const nothing = (): Record<string, unknown> => ({});
    const [saved, stored] = await Promise.all([
      local.get(CURRENCY_KEY).catch(nothing),
      session.get(key).catch(nothing),
    ]);
    if (isOver) return;
    const currency = chooseCurrency(parseCurrency(saved[CURRENCY_KEY]), navigator.language) ?? null;
    const kept = parseKept(stored[key]);
    const mine = kept !== null && kept.uid === uid && kept.currency === currency ? kept : null;
    showPrices((catalog) => withPrices(catalog, currency, mine?.prices ?? []));
    say(mine !== null ? 'confirmed' : uid === null ? 'unconfirmed' : 'pending');
    if (uid === null || (mine !== null && Date.now() - mine.at < FRESH_MS)) return;
    // What the worker was told it stores, and the change of the storage says it here.
    const result = await ask(uid, currency);
    if (!isOver && mine === null && !(result.ok && result.uid === uid)) say('unconfirmed');
  }

  const onChanged = (changes: Record<string, unknown>): void => {
    if (key in changes || CURRENCY_KEY in changes) void look();
  };
  browser.storage.onChanged.addListener(onChanged);
  void look();
  return () => {
    isOver = true;
    browser.storage.onChanged.removeListener(onChanged);
  };
}

/** One question at a time, whichever lists of a page ask it. */
let asking: { readonly what: string; readonly answer: Promise<PricesResult> } | null = null;

function ask(uid: string, currency: string | null): Promise<PricesResult> {
  const what = `${uid} ${currency}`;
  if (asking?.what === what) return asking.answer;
  const answer = send('billingPrices', currency === null ? {} : { currency })
    .catch(() => ({ ok: false }) as const)
    .finally(() => {
      asking = null;
    });
  asking = { what, answer };
  return answer;
}

/** What the worker stored; null where it is nothing of the kind. */
export function parseKept(value: unknown): KeptPrices | null {
  const { uid, currency, at, prices } = (value ?? {}) as Partial<Record<keyof KeptPrices, unknown>>;
  if (typeof uid !== 'string' || typeof at !== 'number' || !Array.isArray(prices)) return null;
  return { uid, currency: parseCurrency(currency), at, prices: prices.filter(isPrice).map(withWholeCredits) };
}

/** Without credits that nobody can sell. */
function withWholeCredits({ credits, ...price }: OfferPrice): OfferPrice {
  const isSold = Number.isSafeInteger(credits) && Number(credits) > 0;
  return isSold ? { ...price, credits } : price;
}

/** Whether a page can show it: a service of another time may answer something else. */
function isPrice(price: unknown): price is OfferPrice {
  const { lookupKey, amount, currency } = (price ?? {}) as Partial<Record<keyof OfferPrice, unknown>>;
  return typeof lookupKey === 'string' && Number.isSafeInteger(amount) && parseCurrency(currency) !== null;
}

/** Shows prices in this currency from now on, on every page. */
export async function saveCurrency(currency: string): Promise<void> {
  await pageBrowser().storage.local.set({ [CURRENCY_KEY]: currency });
}
