import type { BrowserStorage } from '../browser-storage.ts';

/** What the background uses of the browser. The names are those of an extension's `chrome`. */
export interface BackgroundBrowser {
  readonly storage: BrowserStorage;
  readonly runtime: {
    readonly id: string;
    getURL(path: string): string;
    getManifest(): { readonly incognito?: string | undefined };
    readonly onMessage: BrowserEvent<MessageListener>;
    readonly onMessageExternal: BrowserEvent<MessageListener>;
    readonly onStartup: BrowserEvent<() => void>;
    readonly onInstalled: BrowserEvent<(details: { readonly reason: string }) => void>;
  };
  readonly extension?: { readonly inIncognitoContext?: boolean | undefined };
  readonly tabs: BrowserTabs;
  readonly alarms: BrowserAlarms & {
    readonly onAlarm: BrowserEvent<(alarm: { readonly name: string }) => void>;
  };
}

/** What happens to tabs is not told everywhere. */
export interface BrowserTabs {
  create(tab: { readonly url: string }): Promise<{ readonly id?: number | undefined }>;
  readonly onUpdated?: EndingEvent<(id: number, change: { readonly status?: string | undefined }) => void>;
  readonly onActivated?: EndingEvent<() => void>;
  readonly onRemoved?: EndingEvent<(id: number) => void>;
}

export interface BrowserAlarms {
  create(
    name: string,
    when: { readonly delayInMinutes: number; readonly periodInMinutes: number },
  ): Promise<void>;
  clear(name: string): Promise<unknown>;
}

/** A listener for `chrome.runtime.onMessage`: true when the reply comes later. */
export type MessageListener = (
  message: unknown,
  sender: { readonly id?: string | undefined; readonly origin?: string | undefined },
  reply: (reply: unknown) => void,
) => boolean;

interface BrowserEvent<Listener> {
  addListener(listener: Listener): void;
}

interface EndingEvent<Listener> extends BrowserEvent<Listener> {
  removeListener(listener: Listener): void;
}
