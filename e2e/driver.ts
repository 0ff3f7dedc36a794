import type { Locator, Page } from 'playwright-core';

/**
 * What the journeys that run in both browsers ask of a tab: a part of Playwright's Page, which is the tab in Chromium.
 * firefox/tab.ts says the same in Firefox.
 */
export type Tab = Pick<
  Page,
  | 'click'
  | 'close'
  | 'evaluate'
  | 'fill'
  | 'title'
  | 'url'
  | 'waitForFunction'
  | 'waitForSelector'
  | 'waitForURL'
> & {
  locator(selector: string, options?: { readonly hasText?: string }): Part;
};
export type Part = Pick<Locator, 'click' | 'count' | 'fill' | 'isVisible' | 'textContent' | 'waitFor'>;

export const SURFACES = {
  popup: { path: 'src/demo/popup/index.html', width: 360, height: 560 },
  'side-panel': { path: 'src/demo/side-panel/index.html', width: 400, height: 800 },
  options: { path: 'src/demo/options/index.html', width: 1100, height: 800 },
} as const;
export type Surface = keyof typeof SURFACES;

export type BrowserKind = 'chromium' | 'firefox';

/** A browser with the built extension, as the journeys that run in both know it. */
export interface DrivenBrowser {
  readonly kind: BrowserKind;
  readonly extensionId: string;
  /** One of the extension's pages, in a tab of the surface's size. */
  open(surface: Surface): Promise<Tab>;
  /** A file of the extension, in a tab. */
  openAt(path: string): Promise<Tab>;
  /** A tab of the user's own with this address. */
  visit(url: string): Promise<Tab>;
  /** Does something that makes the background open a tab, and returns that tab once it has loaded. */
  openedTab(action: () => Promise<unknown>): Promise<Tab>;
  /** Something that speaks as another extension, which was loaded beside. */
  another(): Promise<Pick<Tab, 'evaluate'>>;
  /** Takes the whole browser off the network. `wake` makes the background run. */
  goOffline(wake: () => Promise<unknown>): Promise<void>;
  goOnline(): Promise<void>;
  /** Closes every tab but the browser's own first. */
  closeTabs(): Promise<void>;
  /** Ends the background as the browser does when it is idle. */
  killWorker(): Promise<void>;
  isWorkerAlive(): Promise<boolean>;
  /** Closes the browser; its folder goes too, unless it was given. */
  close(): Promise<void>;
}

export interface DriveOptions {
  /** The built extension. */
  readonly dist: string;
  /** Given: the profile is kept, for a test that restarts the browser. */
  readonly userDataDir?: string;
  /** More unpacked extensions to load beside it. */
  readonly others?: readonly string[];
}
