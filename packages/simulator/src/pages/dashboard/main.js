import { formatMoment } from '../dates.js';
import { part, show } from './element.js';
import { showAgain, showPicture } from './picture.js';
import { getPicture, serveCommands } from './server.js';

const REFRESH_MILLISECONDS = 1000;
const SAID_MILLISECONDS = 6000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let silence;

/** Says what a command did; a refusal stays until the next command. @param {string} text @param {boolean} failed */
function say(text, failed) {
  // Emptied first, so that the same words are announced again.
  part('said').textContent = '';
  part('failed').textContent = '';
  part(failed ? 'failed' : 'said').textContent = text;
  clearTimeout(silence);
  if (!failed) {
    silence = setTimeout(() => {
      part('said').textContent = '';
    }, SAID_MILLISECONDS);
  }
}

let lastText = '';

/** @param {unknown} error */
function sayUnreachable(error) {
  document.body.dataset.state = 'error';
  const reason = error instanceof Error ? error.message : String(error);
  const text = `The simulator does not answer (${reason}). Start it again; this page goes on by itself.`;
  if (part('unreachable').textContent !== text) part('unreachable').textContent = text;
}

async function refresh() {
  const picture = await getPicture().catch(sayUnreachable);
  if (picture === undefined) return;
  const { now, records, recordsProblem, ...rest } = picture;
  const text = JSON.stringify([rest, records && [...records]]);
  if (part('unreachable').textContent !== (recordsProblem ?? ''))
    part('unreachable').textContent = recordsProblem;
  if (text === lastText && document.body.dataset.state === 'ready') {
    show('now', formatMoment(now));
    return;
  }
  showPicture(picture);
  lastText = text;
}

/** Refreshes while the page can be seen; a large account, slow to read, is read less often. */
async function watch() {
  const start = performance.now();
  try {
    if (document.visibilityState === 'visible') await refresh();
  } finally {
    setTimeout(watch, Math.max(REFRESH_MILLISECONDS, 4 * (performance.now() - start)));
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') refresh();
});
part('find').addEventListener('input', showAgain);
part('all-events').addEventListener('change', showAgain);
part('customers').addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('[data-find]') : null;
  if (!(button instanceof HTMLElement)) return;
  const field = /** @type {HTMLInputElement} */ (part('find'));
  field.value = field.value === button.dataset.find ? '' : (button.dataset.find ?? '');
  showAgain();
});
serveCommands(say, refresh);
watch();
