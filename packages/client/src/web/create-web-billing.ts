import type { ErrorReply } from '../messages.ts';
import { type PageBrowser, providePageBrowser } from '../page-browser.ts';
import { within } from '../promises.ts';
import { hearHost } from './host.ts';
import type { Served } from './serve.ts';
import { createWebStorage } from './storage.ts';
import { WEB_ID, type WebBillingConfig } from './web-config.ts';

/** What a web page may ask for beside the hooks, the components and `send`. */
export interface WebBilling {
  /**
   * The signed-in user's Firebase ID token, for a backend of yours that checks it; renewed when it is old. Null if
   * nobody is signed in, if it can't be had at the moment, and during server rendering. Whoever has it is this user for
   * up to an hour.
   */
  idToken(): Promise<string | null>;
}

/** Longer than a slow network takes for 100 kB. */
const LOADED_WITHIN_MS = 20_000;

let started: WebBilling | null = null;

/**
 * Lets hooks, components and `send` work in a web page as they do in an extension's, on the same accounts. Call it once,
 * before the first of them is used; a second call returns the result of the first. The service has to let the page's
 * origin in (`BILLING_WEB_ORIGINS`). During server rendering it does nothing, and everything shows as loading.
 *
 * Each tab serves itself: it has its own listener and its own user, who is the same in all tabs if billing's own
 * accounts are used.
 *
 * @throws Error if the page is not on https (or localhost), or the browser is from before 2024.
 */
export function createWebBilling(config: WebBillingConfig): WebBilling {
  if (typeof document === 'undefined') return onServer();
  started ??= start(config);
  return started;
}

function start(config: WebBillingConfig): WebBilling {
  if (!isSecureContext || !('withResolvers' in Promise)) {
    throw new Error('Billing needs a page on https or localhost, in a browser of 2024 or newer.');
  }
  const storages = { local: () => localStorage, session: () => sessionStorage };
  const storage = createWebStorage(storages, window, config.firebase.projectId);
  const host = config.identity === undefined ? null : hearHost(config.identity, storage.showOnly);

  let serving: Promise<Served> | null = null;
  const load = (): Promise<Served> => {
    serving ??= import('./serve.ts').then(({ serveBilling }) =>
      serveBilling(config, storage, host, openPage),
    );
    return serving;
  };
  async function served(): Promise<Served | null> {
    const tried = load();
    try {
      return await within(LOADED_WITHIN_MS, tried, null);
    } catch (error) {
      // The next request tries again.
      if (serving === tried) serving = null;
      console.error(
        'billing: its code could not be loaded',
        error instanceof Error ? error.name : typeof error,
      );
      return null;
    }
  }
  /** The user for whom a request is sent: the host's, or whom this tab shows. */
  const speaker = (): string | null | undefined => {
    const told = host?.uid();
    return told === undefined ? (storage.shownUid() ?? undefined) : told;
  };

  const { icon, message } = config;
  providePageBrowser({
    storage,
    async askBackground(message) {
      const uid = speaker();
      return (await served())?.answer(message, uid) ?? NOT_LOADED;
    },
    runtime: {
      id: WEB_ID,
      connect: noPort,
      getManifest: () => ({ name: document.title, ...(icon !== undefined && { icons: { 48: icon } }) }),
      getURL: (path) => new URL(path, location.href).href,
    },
    i18n: {
      getUILanguage: () => navigator.language,
      getMessage: (name, substitutions = []) => message?.(name, substitutions) ?? '',
    },
  });
  return {
    async idToken() {
      const uid = speaker();
      return (await served())?.idToken(uid) ?? null;
    },
  };
}

function noPort(): never {
  throw new Error('A web page has no ports.');
}

const NOT_LOADED: ErrorReply = {
  error: {
    code: 'internal',
    message: 'The code of billing could not be loaded. Check the connection and try again.',
  },
};

/** In a tab of its own, so that this page stays; in this one if the browser opens no other. */
function openPage(url: string): void {
  const opened = window.open(url, '_blank');
  if (opened === null) location.assign(url);
  else opened.opener = null;
}

/** What components find during server rendering: an empty storage, and nothing that answers. */
function onServer(): WebBilling {
  const empty = { get: async () => ({}), set: async () => {}, remove: async () => {} };
  const browser: PageBrowser = {
    askBackground: async () => NOT_LOADED,
    storage: {
      local: empty,
      session: empty,
      onChanged: { addListener: () => {}, removeListener: () => {} },
    },
    runtime: {
      id: WEB_ID,
      connect: noPort,
      getManifest: () => ({ name: '' }),
      getURL: (path) => path,
    },
    i18n: { getUILanguage: () => 'en', getMessage: () => '' },
  };
  providePageBrowser(browser);
  return { idToken: async () => null };
}
