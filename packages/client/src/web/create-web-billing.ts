import { providePageBrowser } from '../page-browser.ts';
import { createTabs, TABS_NAME } from './one-of-tabs.ts';
import { createWebStorage } from './storage.ts';
import { ID_TOKEN_MESSAGE, WEB_ID, type WebBillingConfig } from './web-config.ts';

/** What a web page may ask for beside the hooks, the components and `send`. */
export interface WebBilling {
  /**
   * The signed-in user's Firebase ID token, for a backend of yours that checks it; renewed when it is old. Null where
   * nobody is signed in, or it cannot be had at the moment. Whoever has it is this user for up to an hour.
   */
  idToken(): Promise<string | null>;
}

let started: WebBilling | null = null;

/**
 * Lets hooks, components and `send` work in a web page as they do in an extension's, on the same accounts. Call it once,
 * before the first of them is used; a second call gives what the first has made. The service has to let the page's
 * origin in (`BILLING_WEB_ORIGINS`).
 *
 * All tabs of the origin are served by one of them, so that they agree on who is signed in and what is left; those of
 * another Firebase project by one of their own.
 *
 * @throws Error where the page is not on https (or localhost), or the browser is from before 2024.
 */
export function createWebBilling(config: WebBillingConfig): WebBilling {
  started ??= start(config);
  return started;
}

function start(config: WebBillingConfig): WebBilling {
  if (!isSecureContext || !('locks' in navigator) || !('withResolvers' in Promise)) {
    throw new Error('Billing needs a page on https or localhost, in a browser of 2024 or newer.');
  }
  const { projectId } = config.firebase;
  const storage = createWebStorage(() => localStorage, window, projectId);
  // Tabs of another project's app at this origin have another user, and another service.
  const name = `${TABS_NAME}:${projectId}`;
  const tabs = createTabs({
    name,
    locks: navigator.locks,
    channel: new BroadcastChannel(name),
    page: {
      isVisible: () => document.visibilityState === 'visible',
      onVisibility: (listener) => document.addEventListener('visibilitychange', listener),
      now: () => Date.now(),
    },
    serve: async () => {
      const { serveBilling } = await import('./serve.ts');
      return serveBilling(config, storage, tabs.openIn);
    },
    open: openPage,
  });
  const { icon, message } = config;
  providePageBrowser({
    storage,
    runtime: {
      id: WEB_ID,
      sendMessage: tabs.ask,
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
      const reply = await tabs.ask({ type: ID_TOKEN_MESSAGE });
      const isToken = typeof reply === 'object' && reply !== null && 'idToken' in reply;
      return isToken && typeof reply.idToken === 'string' ? reply.idToken : null;
    },
  };
}

/** In a tab of its own, so that this page goes on; in this one where the browser lets no other be opened. */
function openPage(url: string): void {
  const opened = window.open(url, '_blank');
  if (opened === null) location.assign(url);
  else opened.opener = null;
}
