// Brings the link of a sign-in mail to the extension that asked for it, which signs in by it where it was asked for in
// this browser. Where it was not, or the browser lets no page speak to extensions, the visitor takes the link there.
// The link signs in whoever has it, and anyone can have a mail sent whose address names an extension of their own: only
// the owner's extensions get it.
import { EXTENSION_IDS } from './extensions.js';
import { speak } from './speak.js';
import { languageOf, TEXTS } from './texts.js';

const main = document.querySelector('main');
// A reload finds what the address had, and what became of it.
const { link, done } = history.state ?? { link: location.href, done: false };
const extension = new URL(link).searchParams.get('extension');
const [, closing] = main.querySelectorAll('p:not(.owner)');

/** Whether the extension signed in by the link. */
async function bring() {
  if (!EXTENSION_IDS.includes(extension) || !globalThis.chrome?.runtime?.sendMessage) return false;
  const answer = await chrome.runtime.sendMessage(extension, { type: 'billingSignIn', link });
  return answer?.ok === true;
}

// Until it is known nothing is claimed.
main.setAttribute('aria-busy', 'true');
const isSignedIn = done || (await bring().catch(() => false));
main.removeAttribute('aria-busy');
// The link is used up, or for the visitor to copy: it has no place in the browser's history.
history.replaceState(
  isSignedIn ? { link: location.origin, done: true } : { link, done: false },
  '',
  location.pathname,
);
if (isSignedIn) {
  main.dataset.page = 'signed-in';
  main.querySelector('.mark').classList.add('good');
  main.querySelector('path').setAttribute('d', 'M5 12.5l4.5 4.5L19 7.5');
  speak();
} else {
  offer();
}

function offer() {
  const { copy, copied } = TEXTS[languageOf(navigator.languages)];
  const place = main.querySelector('.link');
  const [field, button] = place.children;
  field.value = link;
  button.textContent = copy;
  place.hidden = false;
  closing.hidden = true;
  field.addEventListener('focus', () => field.select());
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(link).then(
      () => {
        button.textContent = copied;
      },
      // What is selected is copied with the keyboard.
      () => field.focus(),
    );
  });
}
