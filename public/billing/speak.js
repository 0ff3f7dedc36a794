// Puts the page into the visitor's language, and the owner's name above it. Without it the page says it in English.
import { OWNER } from './owner.js';
import { PRODUCTS } from './products.js';
import { languageOf, TEXTS } from './texts.js';

/** The texts of the page that `main` says it is. */
export function speak() {
  const main = document.querySelector('main');
  const language = languageOf(navigator.languages);
  const { close } = TEXTS[language];
  const { title, body } = TEXTS[language][main.dataset.page];

  document.documentElement.lang = language;
  document.title = OWNER === '' ? title : `${title} – ${OWNER}`;
  main.querySelector('h1').textContent = title;
  const [saying, closing] = main.querySelectorAll('p:not(.owner)');
  saying.textContent = body;
  closing.textContent = close;

  const owner = main.querySelector('.owner');
  owner.textContent = OWNER;
  owner.hidden = OWNER === '';

  showPurchase(main.querySelector('.bought'), language);
}

/** What was bought. Its name is never read from the address, which anybody could write. */
function showPurchase(place, language) {
  const asked = new URLSearchParams(location.search);
  const key = asked.get('bought') ?? '';
  if (place === null || !Object.hasOwn(PRODUCTS, key)) return;
  const amount = amountIn(asked, language);
  place.replaceChildren(
    ...[PRODUCTS[key], amount].filter(Boolean).map((text) => {
      const line = document.createElement('span');
      line.textContent = text;
      return line;
    }),
  );
  place.hidden = false;
}

/** An amount in minor units, as people write it in this language; empty if there is none. */
function amountIn(asked, language) {
  const [minor, currency] = [asked.get('amount') ?? '', asked.get('currency') ?? ''];
  if (!/^\d{1,10}$/.test(minor) || !/^[a-z]{3}$/.test(currency)) return '';
  // Stripe counts their minor units in another way than browsers do.
  if (['isk', 'mga', 'ugx'].includes(currency)) return '';
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const { maximumFractionDigits: digits } = format.resolvedOptions();
  return format.format(Number(minor) / 10 ** digits);
}

speak();
