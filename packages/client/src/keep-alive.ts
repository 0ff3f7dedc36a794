import { wholeCatalog } from './given-catalog.ts';
import type { SessionReply } from './messages.ts';
import { pageBrowser } from './page-browser.ts';
import { send } from './send.ts';
import { SESSION_NEWS_KEY } from './snapshot/snapshot.ts';

/** Chrome ends a worker that is idle for 30 s, even with an open listener; a message restarts that clock. */
const HELLO_EVERY_MS = 20_000;

/**
 * Keeps the worker and its listener up while this page is visible: says hello now, every 20 s, and whenever the
 * page becomes visible again, and whenever who is signed in has changed. `onSession` hears each answer. Returns the function that ends it.
 */
export function keepBillingAlive(onSession: (session: SessionReply) => void = () => {}): () => void {
  let ended = false;
  const hello = (): void => {
    if (ended || document.visibilityState !== 'visible') return;
    // A hello that fails leaves the last snapshot on the screen, and the next one tries again.
    // Without a catalogue the page cannot tell, so the worker asks the service.
    send('billingHello', { free: wholeCatalog?.free !== null }).then(
      (session) => ended || onSession(session),
      () => {},
    );
  };
  const onChanged = (changes: Record<string, unknown>, areaName: string): void => {
    // The incognito half of a split extension has a key of its own, which begins alike.
    if (areaName === 'session' && Object.keys(changes).some((key) => key.startsWith(SESSION_NEWS_KEY)))
      hello();
  };
  const timer = setInterval(hello, HELLO_EVERY_MS);
  const { onChanged: changes } = pageBrowser().storage;
  changes.addListener(onChanged);
  document.addEventListener('visibilitychange', hello);
  hello();
  return () => {
    ended = true;
    clearInterval(timer);
    changes.removeListener(onChanged);
    document.removeEventListener('visibilitychange', hello);
  };
}
