import { deleteApp, getApps } from 'firebase/app';
import type { BackgroundBrowser, MessageListener } from '../background/background-browser.ts';
import { APP_NAME, startBackground } from '../background/create-billing-background.ts';
import { refusalOfAnother } from '../background/for-a-user.ts';
import { forgetDismissalWhenRisen } from '../ui/wall/wall.ts';
import type { TabHost } from './host.ts';
import type { WebStorage } from './storage.ts';
import { WEB_ID, type WebBillingConfig } from './web-config.ts';

/** What the router takes for the one page that may send. */
const OWN_PAGE = { id: WEB_ID, origin: `chrome-extension://${WEB_ID}` };

/** What serves the page of one tab. */
export interface Served {
  /** Replies to a message. `uid`: the user for whom it was sent; undefined if the page knew none. */
  answer(message: object, uid: string | null | undefined): Promise<unknown>;
  /** Returns this user's ID token; `uid` as in `answer`. */
  idToken(uid: string | null | undefined): Promise<string | null>;
  end(): void;
}

/** The background of an extension in a tab, over what a web page has. */
export function serveBilling(
  config: WebBillingConfig,
  storage: WebStorage,
  host: TabHost | null,
  open: (url: string) => void,
): Served {
  const listeners: MessageListener[] = [];
  const never = { addListener: () => {} };
  const browser: BackgroundBrowser = {
    storage,
    keepsUser: storage.isKept ? 'disk' : 'memory',
    pageOrigin: location.origin,
    runtime: {
      id: WEB_ID,
      getManifest: () => ({}),
      getURL: (path) => `${OWN_PAGE.origin}/${path}`,
      onMessage: { addListener: (listener) => void listeners.push(listener) },
      onConnect: never,
      onMessageExternal: never,
      onStartup: never,
      onInstalled: never,
    },
    tabs: {
      async create({ url }) {
        open(url);
        return {};
      },
    },
    // A page lives as long as it is open, and says hello as long as it is seen: nothing has to wake it.
    alarms: { create: async () => {}, clear: async () => true, onAlarm: never },
  };
  const identity = host === null ? {} : { identity: host.identity };
  const { billing, stop, hearOtherTab } = startBackground(
    { ...config, ...identity, unknownMessages: 'refuse' },
    browser,
  );
  storage.onOtherTab((snapshot) => void hearOtherTab(snapshot));
  forgetDismissalWhenRisen(storage);

  /** Whether this tab's user is still the one for whom a request was sent. Nothing is awaited after the answer. */
  async function isStill(uid: string | null | undefined): Promise<boolean> {
    if (uid === undefined) return true;
    const { user } = await billing.session();
    const told = host?.uid();
    return uid === (told === undefined ? (user?.uid ?? null) : told);
  }
  const reply = (message: object): Promise<unknown> =>
    new Promise((resolve) => {
      for (const listener of listeners) listener(message, OWN_PAGE, resolve);
    });

  return {
    async answer(message, uid) {
      const refusal = refusalOfAnother('type' in message ? message.type : undefined);
      if (refusal !== undefined && !(await isStill(uid))) return refusal;
      return reply(message);
    },
    idToken: async (uid) => ((await isStill(uid)) ? billing.idToken() : null),
    end() {
      stop();
      for (const app of getApps()) if (app.name === APP_NAME) void deleteApp(app);
    },
  };
}
