import type { StorageArea } from '../browser-storage.ts';
import type { BrowserTabs } from './background-browser.ts';

const STORAGE_KEY = 'billingTabs';

/** The tabs with hosted pages that this extension has opened, for as long as a purchase is looked for. */
interface OpenedTabs {
  open(url: string): Promise<void>;
  /** Nothing more is expected of them. */
  forget(): Promise<void>;
}

type Marks = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

interface OpenedTabsDeps {
  readonly tabs: BrowserTabs;
  readonly area: StorageArea;
  /** What can be read at once when a worker starts; undefined in a service worker, which has no such storage. */
  readonly marks: Marks | undefined;
  /** A hosted page went on to another address, was closed, or the user went to another tab or came back. */
  readonly onReturn: () => void;
}

/**
 * Notices that a user comes back from a hosted page by what happens to its tab: no page has to say so, and no permission
 * is needed. Listeners are there while such a tab is open and not longer, so that no other tab wakes the worker.
 *
 * A browser starts a worker only for what an earlier one listened to, and hands it over only to listeners that are there
 * at once. Chromium forgets a listener that is taken away: each worker has them until it has read that no tab is open.
 * Firefox remembers those of an event page's start, whatever becomes of them later (bug 1899767): they are added where a
 * mark says so, thus not for the page that opens the tab but for the next one, which the purchase alarm starts.
 */
export function createOpenedTabs({ tabs, area, marks, onReturn }: OpenedTabsDeps): OpenedTabs {
  let isOpening = false;
  const load = async (): Promise<readonly unknown[]> => {
    const ids: unknown = (await area.get(STORAGE_KEY))[STORAGE_KEY];
    return Array.isArray(ids) ? ids : [];
  };
  const onUpdated = async (id: number, change: { readonly status?: string | undefined }): Promise<void> => {
    if (change.status === 'complete' && (await load()).includes(id)) onReturn();
  };
  const onActivated = async (): Promise<void> => {
    if ((await load()).length > 0) onReturn();
  };
  const onRemoved = async (id: number): Promise<void> => {
    const ids = await load();
    if (!ids.includes(id)) return;
    onReturn();
    if (ids.length === 1) await forget();
    else await area.set({ [STORAGE_KEY]: ids.filter((each) => each !== id) });
  };
  const listen = (step: 'addListener' | 'removeListener'): void => {
    tabs.onUpdated?.[step](onUpdated);
    tabs.onActivated?.[step](onActivated);
    tabs.onRemoved?.[step](onRemoved);
  };
  const forget = async (): Promise<void> => {
    isOpening = false;
    marks?.removeItem(STORAGE_KEY);
    listen('removeListener');
    await area.remove(STORAGE_KEY);
  };

  if (marks === undefined || marks.getItem(STORAGE_KEY) !== null) listen('addListener');
  void load().then((ids) => {
    if (ids.length === 0 && !isOpening) void forget();
  });
  return {
    async open(url) {
      isOpening = true;
      marks?.setItem(STORAGE_KEY, '');
      listen('addListener');
      const { id } = await tabs.create({ url });
      if (id !== undefined) await area.set({ [STORAGE_KEY]: [...(await load()), id] });
    },
    forget,
  };
}

/** The storage of a background that is a page, as in Firefox. */
export function readableAtOnce(): Marks | undefined {
  try {
    return globalThis.localStorage;
  } catch {
    return undefined; // switched off in the browser
  }
}
