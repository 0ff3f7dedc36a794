import { deleteApp, getApps } from 'firebase/app';
import type { BackgroundBrowser, MessageListener } from '../background/background-browser.ts';
import { APP_NAME, HOSTED_APP_NAME, startBackground } from '../background/create-billing-background.ts';
import type { CustomTokenIdentity, FirebaseIdentity } from '../background/host-identity.ts';
import type { BrowserStorage } from '../browser-storage.ts';
import { forgetDismissalWhenRisen } from '../ui/wall/wall.ts';
import type { Served } from './one-of-tabs.ts';
import { whileOpen } from './storage.ts';
import { ID_TOKEN_MESSAGE, WEB_ID, type WebBillingConfig } from './web-config.ts';

/** What the router takes for the one page that may send. */
const OWN_PAGE = { id: WEB_ID, origin: `chrome-extension://${WEB_ID}` };

/** Requests that open a page, in the tab that asked. */
const OPENING: ReadonlySet<unknown> = new Set(['billingCheckout', 'billingChange', 'billingPortal']);

/** The background of an extension in a tab, over what a web page has. */
export function serveBilling(
  config: WebBillingConfig,
  shared: BrowserStorage,
  openIn: (tab: string, url: string) => void,
): Served {
  let isOver = false;
  const storage = whileOpen(shared, () => !isOver);
  const listeners: MessageListener[] = [];
  /** Tabs that wait for a page, the latest last. */
  const waiting: string[] = [];
  const never = { addListener: () => {} };
  const browser: BackgroundBrowser = {
    storage,
    runtime: {
      id: WEB_ID,
      getManifest: () => ({}),
      getURL: (path) => `${OWN_PAGE.origin}/${path}`,
      onMessage: { addListener: (listener) => void listeners.push(listener) },
      onMessageExternal: never,
      onStartup: never,
      onInstalled: never,
    },
    tabs: {
      async create({ url }) {
        const tab = waiting.at(-1);
        if (tab !== undefined) openIn(tab, url);
        return {};
      },
    },
    // A page lives as long as somebody has it open, and says hello as long as it is seen: nothing has to wake it.
    alarms: { create: async () => {}, clear: async () => true, onAlarm: never },
  };
  const { billing, stop } = startBackground(
    { ...config, ...identityWhile(() => !isOver, config.identity), unknownMessages: 'refuse' },
    browser,
  );
  forgetDismissalWhenRisen(storage);

  const reply = (message: object): Promise<unknown> =>
    new Promise((resolve) => {
      for (const listener of listeners) listener(message, OWN_PAGE, resolve);
    });

  // Somebody looks at this tab, or asks it: they said hello to the one that served before, and do so again in 20 s.
  void reply({ type: 'billingHello' });

  return {
    async answer(message, tab) {
      const type = 'type' in message ? message.type : undefined;
      if (type === ID_TOKEN_MESSAGE) return { idToken: await billing.idToken() };
      if (!OPENING.has(type)) return reply(message);
      waiting.push(tab);
      return reply(message).finally(() => waiting.splice(waiting.indexOf(tab), 1));
    },
    end() {
      if (isOver) return;
      isOver = true;
      stop();
      const own = getApps().filter(({ name }) => name === APP_NAME || name === HOSTED_APP_NAME);
      for (const app of own) void deleteApp(app);
    },
  };
}

/** The host's word, for as long as this tab leads: what it says later another tab hears from the host itself. */
function identityWhile(
  isOpen: () => boolean,
  identity: WebBillingConfig['identity'],
): Pick<WebBillingConfig, 'identity'> {
  if (identity === undefined) return {};
  const told =
    <User>(tell: (user: User) => void) =>
    (user: User): void => {
      if (isOpen()) tell(user);
    };
  switch (identity.kind) {
    case 'firebase': {
      const onUser: FirebaseIdentity['onUser'] = (tell) => identity.onUser(told(tell));
      return { identity: { ...identity, onUser } };
    }
    case 'custom-token': {
      const onUser: CustomTokenIdentity['onUser'] = (tell) => identity.onUser(told(tell));
      return { identity: { ...identity, onUser } };
    }
    default:
      return identity satisfies never;
  }
}
