import type { BrowserStorage, StorageArea } from './browser-storage.ts';

/**
 * What billing's pages use of the browser. The names are those of an extension's `chrome`, which it is unless a web page
 * has put something in its place (web/).
 */
export interface PageBrowser {
  readonly storage: BrowserStorage;
  readonly runtime: {
    /** Undefined once the extension was replaced by a newer version under an open page. */
    readonly id?: string;
    connect(info: { readonly name: string }): PagePort;
    readonly lastError?: unknown;
    getManifest(): {
      readonly name?: string | undefined;
      readonly incognito?: string | undefined;
      readonly icons?: Readonly<Record<number, string>> | undefined;
    };
    getURL(path: string): string;
  };
  readonly i18n: {
    getUILanguage(): string;
    getMessage(name: string, substitutions?: string[]): string;
  };
  readonly extension?: { readonly inIncognitoContext?: boolean | undefined };
  /** A web page's own background. Without it, messages go over a port of `runtime.connect`. */
  readonly askBackground?: (message: object, isRepeatable: boolean) => Promise<unknown>;
}

/** A page's end of a port to the background. */
export interface PagePort {
  postMessage(message: object): void;
  disconnect(): void;
  readonly onMessage: { addListener(listener: (message: unknown) => void): void };
  readonly onDisconnect: { addListener(listener: () => void): void };
}

declare global {
  /** One for the page: the elements are a bundle of their own, and go by what another has put in place. */
  var extensionBillingPage: PageBrowser | undefined;
}

export function pageBrowser(): PageBrowser {
  return globalThis.extensionBillingPage ?? globalThis.chrome ?? SERVER;
}

/** A server that renders pages: nothing is stored, so every page is loading until the browser takes over. */
const SERVER: PageBrowser = {
  storage: {
    local: emptyArea(),
    session: emptyArea(),
    onChanged: { addListener() {}, removeListener() {} },
  },
  runtime: {
    id: '',
    connect() {
      throw new Error('There is no background to connect to on a server.');
    },
    getManifest: () => ({}),
    getURL: (path) => path,
  },
  i18n: { getUILanguage: () => 'en', getMessage: () => '' },
  askBackground: async () => {
    throw new Error('There is no background to answer a billing message on a server.');
  },
};

function emptyArea(): StorageArea {
  return { get: async () => ({}), set: async () => {}, remove: async () => {} };
}

/** Puts something in the place of `chrome`, for every page part of billing. Before the first of them is used. */
export function providePageBrowser(browser: PageBrowser): void {
  globalThis.extensionBillingPage = browser;
}
