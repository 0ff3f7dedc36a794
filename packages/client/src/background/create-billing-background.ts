import { isSameRights } from '@extension-billing/contract/customer';
import { initializeApp } from 'firebase/app';
import { createWithCredits, type WithCredits } from '../credit-work.ts';
import type { ConsumeRequest, ConsumeResult, OpenResult, SessionReply } from '../messages.ts';
import type { OfferKey } from '../register.ts';
import { catalogPlace, isIncognitoWorld, snapshotPlace } from '../snapshot/snapshot.ts';
import { createSnapshotWriter } from '../snapshot/write.ts';
import { createApi } from './api.ts';
import { createAuthSession, refreshClaims } from './auth-session.ts';
import type { BackgroundBrowser } from './background-browser.ts';
import { createCarriedVersion } from './carried-version.ts';
import type { BillingConfig } from './config.ts';
import { createConsume, createPendingConsumes, type SpendDeps } from './consume.ts';
import { createDeleteAccount } from './delete-account.ts';
import { createExpectedCredits } from './expected-credits.ts';
import { GOOGLE_AUTHORIZE_URL, type GoogleClient } from './google-id-token.ts';
import { createHostSession } from './host-session.ts';
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
import { createUsage } from './usage.ts';

const HEARD_WITHIN_MS = 10_000;
/** The service takes as long itself: nobody waits for this unless Firestore alone does not answer. */
const HEARD_BEFORE_OPENING_MS = 2_000;
const LOOK_EVERY_MS = 3_600_000;
/** An app of billing's own: the one without a name is the extension's, and can be made only once. */
export const APP_NAME = 'extension-billing';
/** Whom the host hands in is kept apart: a guest of billing's own may still have what they bought. */
export const HOSTED_APP_NAME = 'extension-billing-host';

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
  const app = initializeApp({ projectId, apiKey }, config.identity ? HOSTED_APP_NAME : APP_NAME);
  const isIncognito = isIncognitoWorld(browser);
  const memory = sessionMemory(browser.storage.session, isIncognito);
  const news = createSessionNews(memory, async () => (await writer.current())?.uid ?? null);
  const hosted =
    config.identity === undefined
      ? null
      : createHostSession({ app, config, identity: config.identity, news, onTold, warn });
  const session = hosted ?? createAuthSession(app, config, news);
  const version = createCarriedVersion(memory);
  const api = createApi({
    baseUrl: config.apiBaseUrl,
    fetch: (input, init) => fetch(input, init),
    token: session.token,
    judged: session.judged,
    version,
    warn,
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
  };
  const newKey = (): string => crypto.randomUUID();
  const pending = createPendingConsumes({ area: memory, now, newKey });
  const consume = createConsume({ ...spending, pending });
  const { reserve, confirm, release } = createReservations(spending, newKey);
  const pages = createOpenPage({
    api,
    // A purchase is seen by what was there before: heard while the service makes the page.
    uid: () => {
      mirror.ensure();
      return uid();
    },
    openTab: opened.open,
    onOpened: async () => {
      await mirror.heard(HEARD_BEFORE_OPENING_MS);
      await watch.start();
    },
  });
  const prices = createPrices({ api, uid, area: memory, now });
  /** What is kept of one user in the browser's memory is nobody else's. */
  const forgetOthers = async (uid: string | null): Promise<void> => {
    await version.forgetOthers(uid);
    await prices.forget();
    await pending.forgetOthers(uid);
  };
  const google = googleClientOf(config);
  const onSignedOut = async (): Promise<void> => {
    mirror.follow(null);
    await writer.signOut();
    await forgetOthers(null);
  };
  /** The host's word: what is kept of others goes at once, and theirs is listened to once they are signed in here. */
  function onTold(uid: string | null): void {
    expected.forget();
    if (uid === null) {
      catalog.follow(false);
      void onSignedOut();
      return;
    }
    mirror.follow(null);
    void writer.begin(uid);
    void forgetOthers(uid);
  }
  const links = createPendingLinks(memory, now);
  const signIn = hosted
    ? signInByHost()
    : createSignIn({
        session,
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
  const deleteAccount = hosted
    ? () => signIn.out()
    : createDeleteAccount({ session, api, google, forget: () => signIn.out(true) });

  const hello: BillingHandlers['billingHello'] = async ({ free }) => {
    expected.heard(free);
    isLookedAt();
    // A page shows what is stored: one that has ended goes.
    void links.pending();
    return session.session();
  };
  const serve = createRouter(
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
      ownOrigin: browser.runtime.getURL('').replace(/\/$/, ''),
      unknownMessages: config.unknownMessages ?? 'leave',
    },
  );
  browser.runtime.onMessage.addListener((...message) => {
    // Whoever has sent it: a content script that wakes the worker may go by what is stored.
    mirror.look();
    return serve(...message);
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
    const changed = before?.uid === after.uid && !isSameRights(before, after);
    if (changed && after.uid !== null) void refreshClaims(session, after.uid, after);
  });
  session.onUser((uid) => {
    // Nobody, without a sign-out, is a failure of the auth service: what is stored stays.
    mirror.follow(uid);
    catalog.follow(uid !== null);
    if (uid === null)
      void session.session().then(({ user, unreadable }) => {
        if (user !== null || unreadable === true) return;
        // The memory of a browser outlives its incognito windows, and with them the account that was signed in there.
        void writer.nobodyYet({ forget: isIncognito });
        void forgetOthers(null);
      });
  });

  hosted?.start();

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
  return { billing, stop };
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
