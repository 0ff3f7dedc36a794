import type { BrowserStorage } from './browser-storage.ts';

/**
 * What billing's pages use of the browser. The names are those of an extension's `chrome`, which it is unless a web page
 * has put something in its place (web/).
 */
export interface PageBrowser {
  readonly storage: BrowserStorage;
  readonly runtime: {
    /** Undefined once the extension was replaced by a newer version under an open page. */
    readonly id?: string;
    sendMessage(message: object): Promise<unknown>;
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
}

declare global {
  /** One for the page: the elements are a bundle of their own, and go by what another has put in place. */
  var extensionBillingPage: PageBrowser | undefined;
}

export function pageBrowser(): PageBrowser {
  return globalThis.extensionBillingPage ?? globalThis.chrome;
}

/** Puts something in the place of `chrome`, for every page part of billing. Before the first of them is used. */
export function providePageBrowser(browser: PageBrowser): void {
  globalThis.extensionBillingPage = browser;
}
