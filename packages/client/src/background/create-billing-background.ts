import type { LookupKey } from '@extension-billing/contract/catalog';
import { isSameRights } from '@extension-billing/contract/customer';
import { initializeApp } from 'firebase/app';
import { createWithCredits, type WithCredits } from '../credit-work.ts';
import type { ConsumeRequest, ConsumeResult, OpenResult, SessionReply } from '../messages.ts';
import type { OfferKey } from '../register.ts';
import { OPEN_CHECKOUT_KEY, type OpenCheckout, parseOpenCheckout } from '../snapshot/open-checkout.ts';
import {
  catalogPlace,
  type EntitlementSnapshot,
  isIncognitoWorld,
  snapshotPlace,
} from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import { raisesWall } from '../ui/wall/wall.ts';
import { createApi } from './api.ts';
import { createAuthSession, refreshClaims, type Session } from './auth-session.ts';
import type { BackgroundBrowser } from './background-browser.ts';
import { createCarriedVersion } from './carried-version.ts';
import type { BillingConfig } from './config.ts';
import { createConsume, type SpendDeps } from './consume.ts';
import { createDeleteAccount } from './delete-account.ts';
import { createExpectedCredits } from './expected-credits.ts';
import { GOOGLE_AUTHORIZE_URL, type GoogleClient } from './google-id-token.ts';
import { createHostSession } from './host-session.ts';
import { provideHostTokens } from './host-tokens.ts';
import { createListenToCustomer } from './listen-to-customer.ts';
import { createPendingLinks } from './mail-link.ts';
import { createCatalogMirror, createListenToCatalog } from './mirror-catalog.ts';
import { createCustomerMirror } from './mirror-customer.ts';
import { createOpenPage, isLoopback } from './open-page.ts';
import { createOpenedTabs, readableAtOnce } from './opened-tabs.ts';
import { createPrices } from './prices.ts';
import { createPurchaseWatch, PURCHASE_ALARM } from './purchase-watch.ts';
import { createReservations } from './reservations.ts';
import { type BillingHandlers, createReturnListener, createRouter } from './router.ts';
import { createSessionNews, sessionMemory } from './session-memory.ts';
import { createSignIn, purchasesIn, purchasesInSnapshot, signInByHost } from './sign-in.ts';
import { createSignOutMark } from './sign-out-mark.ts';
import { createUsage } from './usage.ts';

const HEARD_WITHIN_MS = 10_000;
/** The service takes as long itself: nobody waits for this unless Firestore alone does not answer. */
const HEARD_BEFORE_OPENING_MS = 2_000;
const LOOK_EVERY_MS = 3_600_000;
/** An app of billing's own: the one without a name is the extension's, and can be made only once. */
export const APP_NAME = 'extension-billing';

/** What the rest of the background may ask for without a message. */
export interface BillingBackground {
  consume(request: ConsumeRequest): Promise<ConsumeResult>;
  /** Holds a feature's cost around some work: see the page's `withCredits`. */
  withCredits: WithCredits;
  checkout(lookupKey: OfferKey, currency?: string): Promise<OpenResult>;
  portal(): Promise<OpenResult>;
  session(): Promise<SessionReply>;
  /**
   * The signed-in user's Firebase ID token, for a backend of yours that checks it; renewed when it is old. Null where
   * nobody is signed in, or it cannot be had at the moment. Whoever has it is this user for up to an hour: send it to your
   * own addresses only, and never to a web page.
   */
  idToken(): Promise<string | null>;
  /**
   * Has the server's word on the user's record: the snapshot is up to date when this settles, and follows every change
   * for a minute. For what a content script shows; pages that are looked at have it anyway. False where nobody is
   * signed in, or the server is not heard within 10 s. Costs one read of Firestore.
   */
  refresh(): Promise<boolean>;
}

/**
 * Starts the billing part of a background worker. Call it at the top level of the worker's module: Chrome hands the
 * event that started a worker only to listeners that are there when the module has run.
 */
export function createBillingBackground(config: BillingConfig): BillingBackground {
  return startBackground(config, chrome).billing;
}

interface StartedBackground {
  readonly billing: BillingBackground;
  /** Listens to the server no more. */
  readonly stop: () => void;
  /** In a web app: another tab has stored this snapshot, or removed it. */
  readonly hearOtherTab: (stored: EntitlementSnapshot | null) => Promise<void>;
}

/** The same in a browser that is given: an extension's, or what stands for it in a web page (web/). */
export function startBackground(config: BillingConfig, browser: BackgroundBrowser): StartedBackground {
  const now = (): number => Date.now();
  const place = snapshotPlace(browser);
  const warn = (text: string): void => console.warn(`billing: ${text}`);
  const writer = createSnapshotWriter(browser.storage[place.areaName], now, {
    place,
    spare: place.areaName === 'local' ? browser.storage.session : null,
    warn,
  });
  const { projectId, apiKey } = config.firebase;
  const app = initializeApp({ projectId, apiKey }, APP_NAME);
  const isIncognito = isIncognitoWorld(browser);
  const memory = sessionMemory(browser.storage.session, isIncognito);
  const news = createSessionNews(memory, async () => (await writer.current())?.uid ?? null);
  const accounts = accountsOf();
  const session: Session = accounts.session;
  function accountsOf() {
    const { identity } = config;
    if (identity === undefined) {
      const mark = createSignOutMark(sessionMemory(browser.storage[place.areaName], isIncognito));
      const keep = { where: browser.keepsUser, mark };
      return { kind: 'own', session: createAuthSession(app, config, news, keep) } as const;
    }
    const hosted = createHostSession({ projectId, identity, news, onTold, warn });
    provideHostTokens(app, hosted);
    return { kind: 'host', session: hosted } as const;
  }
  const version = createCarriedVersion(memory);
  const api = createApi({
    baseUrl: config.apiBaseUrl,
    fetch: (input, init) => fetch(input, init),
    token: session.token,
    judged: session.judged,
    version,
    warn,
    pageOrigin: browser.pageOrigin,
  });
  const expected = createExpectedCredits(api);
  const later = (step: () => void, ms: number): unknown => setTimeout(step, ms);
  const mirror = createCustomerMirror({
    listen: createListenToCustomer(app, config),
    writer,
    expected: expected.of,
    // Firestore keeps to itself that no token is to be had: asking for one tells whether the session has ended.
    unheard: (uid) => void session.token(uid),
    later,
    now,
  });
  const catalog = createCatalogMirror({
    listen: createListenToCatalog(app),
    area: browser.storage[place.areaName],
    key: catalogPlace(browser).key,
    later,
    now,
  });
  /** Somebody has billing before their eyes. */
  const isLookedAt = (): void => {
    mirror.ensure();
    catalog.ensure();
  };
  const opened = createOpenedTabs({
    tabs: browser.tabs,
    area: memory,
    marks: browser.tabs.onUpdated && readableAtOnce(),
    onReturn: () => lookForPurchase(),
  });
  const watch = createPurchaseWatch({
    area: memory,
    alarms: browser.alarms,
    current: writer.current,
    now,
    onEnd: opened.forget,
  });
  const lookForPurchase = (): void => {
    mirror.ensure();
    void mirror.heard(HEARD_WITHIN_MS).then(watch.look);
  };
  const uid = async (): Promise<string | null> => {
    mirror.look();
    return (await session.session()).user?.uid ?? null;
  };
  const spending: SpendDeps = {
    api,
    uid,
    online: () => navigator.onLine,
    apiIsLocal: isLoopback(new URL(config.apiBaseUrl).hostname),
    snapshot: writer,
    now,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    newKey: () => crypto.randomUUID(),
  };
  const walls = { uid, local: browser.storage.local };
  const consume = raisesWall(walls, createConsume(spending));
  const { confirm, release, ...reservations } = createReservations(spending);
  const reserve = raisesWall(walls, reservations.reserve);
  const rememberCheckout = async (lookupKey: LookupKey): Promise<void> => {
    const before = await writer.current();
    if (before === null) return;
    const checkout: OpenCheckout = { lookupKey, openedAt: now(), before };
    await memory.set({ [OPEN_CHECKOUT_KEY]: checkout });
  };
  const forgetCheckoutOfOthers = async (uid: string | null): Promise<void> => {
    const checkout = parseOpenCheckout((await memory.get(OPEN_CHECKOUT_KEY))[OPEN_CHECKOUT_KEY]);
    if (checkout !== null && checkout.before.uid !== uid) await memory.remove(OPEN_CHECKOUT_KEY);
  };
  const pages = createOpenPage({
    api,
    // A purchase is seen by what was there before: heard while the service makes the page.
    uid: () => {
      mirror.ensure();
      return uid();
    },
    openTab: opened.open,
    onOpening: async (lookupKey) => {
      await mirror.heard(HEARD_BEFORE_OPENING_MS);
      if (lookupKey !== null) await rememberCheckout(lookupKey);
      await watch.start();
    },
    onNotOpened: () => memory.remove(OPEN_CHECKOUT_KEY),
  });
  const prices = createPrices({ api, uid, area: memory, now });
  /** What is kept of one user in the browser's memory is nobody else's. */
  const forgetOthers = async (uid: string | null): Promise<void> => {
    await version.forgetOthers(uid);
    await prices.forget();
    await forgetCheckoutOfOthers(uid);
  };
  const google = googleClientOf(config);
  const onSignedOut = async (): Promise<void> => {
    mirror.follow(null);
    await writer.signOut();
    await forgetOthers(null);
  };
  /** The host's word. `session.onUser` follows it at the same time. */
  function onTold(uid: string | null): void {
    expected.forget();
    if (uid === null) {
      catalog.follow(false);
      void onSignedOut();
      return;
    }
    void forgetOthers(uid);
  }
  const links = createPendingLinks(memory, now);
  const signIn =
    accounts.kind === 'host'
      ? signInByHost()
      : createSignIn({
          session: accounts.session,
          google,
          linkUrl: linkUrlOf(config, browser.runtime.id),
          links,
          purchases: async (uid) => {
            const word = await mirror.word(HEARD_WITHIN_MS);
            const isTheirs = word.kind === 'heard' && word.uid === uid;
            return isTheirs ? purchasesIn(word.record) : purchasesInSnapshot(await writer.current(), uid);
          },
          onSignedIn: async (uid) => {
            expected.forget();
            await writer.begin(uid);
            mirror.follow(uid);
            isLookedAt();
            await forgetOthers(uid);
          },
          onSignedOut,
        });
  const deleteAccount =
    accounts.kind === 'host'
      ? () => signIn.out()
      : createDeleteAccount({ session: accounts.session, api, google, forget: () => signIn.out(true) });

  const hello: BillingHandlers['billingHello'] = async ({ free }) => {
    expected.heard(free);
    isLookedAt();
    // A page shows what is stored: one that has ended goes.
    void links.pending();
    return session.session();
  };
  const router = createRouter(
    {
      billingHello: hello,
      billingCheckout: ({ lookupKey, currency }) => pages.checkout(lookupKey, currency),
      billingPrices: prices.tell,
      billingChange: ({ lookupKey }) => pages.change(lookupKey),
      billingPortal: pages.portal,
      creditsConsume: consume,
      creditsReserve: reserve,
      creditsConfirm: confirm,
      creditsRelease: release,
      creditsUsage: createUsage({ api, uid }),
      authSignIn: ({ email, password, leaveGuest = false }) =>
        signIn.withPassword(email, password, leaveGuest),
      authSignUp: ({ email, password }) => signIn.withNewAccount(email, password),
      authSignInWithGoogle: ({ leaveGuest = false }) => signIn.withGoogle(leaveGuest),
      authSignInAsGuest: signIn.asGuest,
      authSendLink: ({ email, leaveGuest = false }) => signIn.sendLink(email, leaveGuest),
      authUseLink: ({ link }) => signIn.withLink(link),
      authResetPassword: ({ email }) => signIn.resetPassword(email),
      accountDelete: deleteAccount,
      authSignOut: ({ discard }) => signIn.out(discard),
    },
    {
      extensionId: browser.runtime.id,
      uid,
      ownOrigin: browser.runtime.getURL('').replace(/\/$/, ''),
      unknownMessages: config.unknownMessages ?? 'leave',
    },
  );
  browser.runtime.onMessage.addListener((...message) => {
    // Whoever has sent it: a content script that wakes the worker may go by what is stored.
    mirror.look();
    return router.onMessage(...message);
  });
  browser.runtime.onConnect.addListener((port) => {
    mirror.look();
    router.onConnect(port);
  });
  browser.runtime.onMessageExternal.addListener(
    createReturnListener(
      config.returnOrigin,
      mirror.ensure,
      async (link) => (await signIn.withLink(link)).ok,
    ),
  );
  browser.alarms.onAlarm.addListener(({ name }) => {
    if (name === PURCHASE_ALARM) lookForPurchase();
    else mirror.look();
  });
  // Being there is enough: the worker starts with the browser, and looks where it is time to.
  browser.runtime.onStartup.addListener(() => {});
  browser.runtime.onInstalled.addListener(({ reason }) => {
    if (reason === 'update') mirror.distrust();
  });
  // A worker that its extension keeps alive may get no event of billing's for days.
  const whileAlive = setInterval(mirror.look, LOOK_EVERY_MS);

  writer.onWritten((before, after) => {
    if (after.credits !== null && !after.credits.expected) expected.forget();
    void watch.seen(after);
    const changed = before !== null && !isSameRights(before, after);
    if (changed && after.uid !== null) void refreshClaims(session, after.uid, after);
  });
  session.onUser((uid) => {
    mirror.follow(uid);
    catalog.follow(uid !== null);
    if (uid !== null) return;
    void session.session().then(({ user, unreadable }) => {
      // The auth service dropped a user who is still stored, or the storage doesn't answer: what is shown stays.
      if (user !== null || unreadable === true) return;
      void writer.nobody();
      void forgetOthers(null);
    });
  });

  if (accounts.kind === 'host') accounts.session.start();

  /** A snapshot of another user says that another tab has signed somebody in or out. */
  async function hearOtherTab(stored: EntitlementSnapshot | null): Promise<void> {
    const here = (await session.session()).user?.uid ?? null;
    if (accounts.kind === 'own' && (stored?.uid ?? null) !== here) {
      await accounts.session.follow();
      const { user, unreadable } = await session.session();
      if (user !== null) await writer.begin(user.uid);
      else if (unreadable !== true) await onSignedOut();
    }
    if (stored !== null) await writer.adopt(stored);
  }

  const withCredits = createWithCredits({ reserve, confirm, release });
  const idToken = async (): Promise<string | null> => {
    const user = await uid();
    const answer = user === null ? null : await session.token(user);
    return answer?.kind === 'token' ? answer.token : null;
  };
  const refresh = async (): Promise<boolean> => {
    if ((await uid()) === null) return false;
    mirror.ensure();
    return mirror.heard(HEARD_WITHIN_MS);
  };
  const billing: BillingBackground = {
    ...{ consume, withCredits, idToken, refresh },
    ...{ checkout: pages.checkout, portal: pages.portal, session: session.session },
  };
  const stop = (): void => {
    clearInterval(whileAlive);
    mirror.follow(null);
    catalog.follow(false);
  };
  return { billing, stop, hearOtherTab };
}

/** The page learns from its address which extension the link is for. */
function linkUrlOf({ signInLinkUrl }: BillingConfig, extensionId: string): string | null {
  if (signInLinkUrl === undefined) return null;
  const url = new URL(signInLinkUrl);
  url.searchParams.set('extension', extensionId);
  return url.href;
}

function googleClientOf({ googleClientId, googleAuthorizeUrl }: BillingConfig): GoogleClient | null {
  if (googleClientId === undefined) return null;
  return { clientId: googleClientId, authorizeUrl: googleAuthorizeUrl ?? GOOGLE_AUTHORIZE_URL };
}
