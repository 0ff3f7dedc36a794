// Puts the page into the visitor's language, and the owner's name above it. Without it the page says it in English.
import { OWNER } from './owner.js';
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
}

speak();
