// Brings the link of a sign-in mail to the extension that asked for it, which signs in by it where it was asked for in
// this browser. Where it was not, or the browser lets no page speak to extensions, the visitor takes the link there.
import { speak } from './speak.js';

const main = document.querySelector('main');
const link = location.href;
const extension = new URLSearchParams(location.search).get('extension');
const [, closing] = main.querySelectorAll('p:not(.owner)');

/** Whether the extension signed in by the link. */
async function bring() {
  if (!extension || !globalThis.chrome?.runtime?.sendMessage) return false;
  const answer = await chrome.runtime.sendMessage(extension, { type: 'billingSignIn', link });
  return answer?.ok === true;
}

// Until it is known nothing is claimed.
main.setAttribute('aria-busy', 'true');
const isSignedIn = await bring().catch(() => false);
main.removeAttribute('aria-busy');
// The link is used up, or for the visitor to copy: it has no place in the browser's history.
history.replaceState(null, '', location.pathname);
if (isSignedIn) {
  main.dataset.page = 'signed-in';
  main.querySelector('.mark').classList.add('good');
  main.querySelector('path').setAttribute('d', 'M5 12.5l4.5 4.5L19 7.5');
  speak();
} else {
  const field = main.querySelector('.link');
  field.value = link;
  field.hidden = false;
  closing.hidden = true;
  field.addEventListener('focus', () => field.select());
}
