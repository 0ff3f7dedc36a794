import type { BrowserStorage } from '../browser-storage.ts';

/** What the background uses of the browser. The names are those of an extension's `chrome`. */
export interface BackgroundBrowser {
  readonly storage: BrowserStorage;
  /** Where billing's own accounts keep the signed-in user; on the disk by default. */
  readonly keepsUser?: 'disk' | 'memory';
  /** Of a web page, which the service has to let in (`BILLING_WEB_ORIGINS`). */
  readonly pageOrigin?: string;
  readonly runtime: {
    readonly id: string;
    getURL(path: string): string;
    getManifest(): { readonly incognito?: string | undefined };
    readonly onMessage: BrowserEvent<MessageListener>;
    readonly onConnect: BrowserEvent<(port: BackgroundPort) => void>;
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

/** Who sent a message or opened a port. */
export interface Sender {
  readonly id?: string | undefined;
  readonly origin?: string | undefined;
}

/** The background's end of a port that a page or a content script has opened. */
export interface BackgroundPort {
  readonly name: string;
  readonly sender?: Sender | undefined;
  readonly onMessage: BrowserEvent<(message: unknown) => void>;
  postMessage(message: object): void;
}

/** A listener for `chrome.runtime.onMessage`: true when the reply comes later. */
export type MessageListener = (message: unknown, sender: Sender, reply: (reply: unknown) => void) => boolean;

interface BrowserEvent<Listener> {
  addListener(listener: Listener): void;
}

interface EndingEvent<Listener> extends BrowserEvent<Listener> {
  removeListener(listener: Listener): void;
}
