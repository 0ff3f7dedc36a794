import { costOf } from '@extension-billing/contract/features';
import { givenCatalog } from '../../src/given-catalog.ts';
import type { ConsumeResult } from '../../src/messages.ts';
import { OPEN_CHECKOUT_KEY, type OpenCheckout } from '../../src/snapshot/open-checkout.ts';
import { type PendingLink, SIGN_IN_LINK_KEY } from '../../src/snapshot/pending-link.ts';
import { signedOutSnapshot } from '../../src/snapshot/project.ts';
import { type KeptPrices, PRICES_KEY, parseSnapshot, SNAPSHOT_KEY } from '../../src/snapshot/snapshot.ts';
import { deriveAccess } from '../../src/ui/features/feature-access.ts';
import { raisesWall } from '../../src/ui/wall/wall.ts';
import { getMessageFrom, type Messages } from '../fake-i18n.ts';
import { aUsage } from './a-usage.ts';
import type { PreviewState } from './states.ts';

type Listener = (changes: Record<string, chrome.storage.StorageChange>, area: string) => void;

/** Puts a browser's `chrome` in place in which a state is stored and a worker answers as the real one would. */
export function installFakeChrome(state: PreviewState, messages: Messages, locale: string): void {
  const listeners = new Set<Listener>();
  const areaOf = (name: string, items: Record<string, unknown>) => ({
    get: async (key: string) => (key in items ? { [key]: items[key] } : {}),
    async set(next: Record<string, unknown>) {
      const changes = Object.fromEntries(
        Object.entries(next).map(([key, newValue]) => [key, { oldValue: items[key], newValue }]),
      );
      Object.assign(items, next);
      for (const listener of listeners) listener(changes, name);
    },
    async remove(key: string) {
      const oldValue = items[key];
      delete items[key];
      for (const listener of listeners) listener({ [key]: { oldValue } }, name);
    },
  });
  const local = areaOf('local', {
    ...(state.snapshot === null ? {} : { [SNAPSHOT_KEY]: state.snapshot }),
    ...state.local,
  });
  if (state.refusesLocal) {
    const refuse = () => Promise.reject(new Error('The disk is broken.'));
    Object.assign(local, { get: refuse, set: refuse, remove: refuse });
  }
  const session = areaOf('session', { ...state.sessionStorage });

  async function consume(feature: string): Promise<ConsumeResult> {
    const snapshot = parseSnapshot((await local.get(SNAPSHOT_KEY))[SNAPSHOT_KEY]);
    if (snapshot !== null && deriveAccess(feature, snapshot, givenCatalog).kind === 'needs_plan') {
      return { ok: false, balance: null, allowance: null, reason: 'plan_required' };
    }
    const credits = snapshot?.credits ?? null;
    const cost = costOf(givenCatalog, feature) ?? 0;
    if (snapshot === null || credits === null) return { ok: true, balance: null, allowance: null };
    if (credits.balance < cost) return { ok: false, ...credits, reason: 'exhausted' };
    const fromAllowance = Math.min(cost, credits.allowance);
    const next = {
      ...credits,
      balance: credits.balance - cost,
      allowance: credits.allowance - fromAllowance,
      packCredits: credits.packCredits - (cost - fromAllowance),
    };
    await local.set({ [SNAPSHOT_KEY]: { ...snapshot, credits: next } });
    return { ok: true, balance: next.balance, allowance: next.allowance };
  }

  const spend = raisesWall({ uid: async () => state.snapshot?.uid ?? null, local }, ({ feature }) =>
    consume(feature),
  );

  interface Message {
    readonly type: string;
    readonly feature?: string;
    readonly lookupKey?: string;
    readonly currency?: string;
    readonly password?: string;
    readonly leaveGuest?: boolean;
    readonly email?: string;
  }
  async function answer(sent: object): Promise<unknown> {
    const message = sent as Message;
    switch (message.type) {
      case 'billingHello':
        return state.session;
      case 'creditsConsume':
      case 'creditsReserve': {
        const { feature = '', type } = message;
        if (state.refuses) return { ok: false, balance: null, allowance: null, reason: state.refuses };
        if (type === 'creditsReserve') return { reservation: 'held', ...(await spend({ feature })) };
        return givenCatalog.features[feature]?.hold === undefined
          ? spend({ feature })
          : { ok: false, balance: null, allowance: null, reason: 'unavailable' };
      }
      case 'creditsConfirm': {
        const credits = parseSnapshot((await local.get(SNAPSHOT_KEY))[SNAPSHOT_KEY])?.credits;
        return { ok: true, balance: credits?.balance ?? null, allowance: credits?.allowance ?? null };
      }
      case 'creditsUsage': {
        const { usage = aUsage(Date.now(), ['demo', 'demo_deep']) } = state;
        if (usage === 'pending') return new Promise(() => {});
        if (usage === 'failed') return { ok: false, reason: 'unavailable' };
        return { ok: true, entries: state.receipts ?? [], totals: usage, next: null };
      }
      case 'billingPrices': {
        const { prices, snapshot } = state;
        const uid = snapshot?.uid;
        if (prices === undefined || uid == null) return { ok: false };
        const kept: KeptPrices = { uid, currency: message.currency ?? null, at: Date.now(), prices };
        await session.set({ [PRICES_KEY]: kept });
        return { ok: true, uid, prices };
      }
      case 'billingChange':
      case 'billingCheckout': {
        const before = parseSnapshot((await local.get(SNAPSHOT_KEY))[SNAPSHOT_KEY]);
        const { lookupKey = '' } = message;
        if (before !== null) {
          const checkout: OpenCheckout = { lookupKey, openedAt: Date.now(), before };
          await session.set({ [OPEN_CHECKOUT_KEY]: checkout });
        }
        return { ok: true };
      }
      case 'billingPortal':
        return { ok: true };
      case 'authResetPassword':
        return { ok: true, user: state.session.user };
      case 'accountDelete':
        if (message.password === undefined) return { ok: false, code: 'password_required', message: '' };
        await local.set({ [SNAPSHOT_KEY]: signedOutSnapshot(Date.now()) });
        return { ok: true, user: null };
      case 'authSignIn':
        if (state.session.user?.isAnonymous && message.leaveGuest !== true) {
          return { ok: false, code: 'guest_has_purchases', message: '' };
        }
        return { ok: false, code: 'invalid_credentials', message: '' };
      case 'authSendLink': {
        const { email = '', leaveGuest = false } = message;
        const asked: PendingLink = { email, leaveGuest, askedAt: Date.now() };
        await session.set({ [SIGN_IN_LINK_KEY]: asked });
        return { ok: true, user: null };
      }
      case 'authUseLink': {
        const { [SIGN_IN_LINK_KEY]: asked } = await session.get(SIGN_IN_LINK_KEY);
        await session.set({ [SIGN_IN_LINK_KEY]: { ...Object(asked), refused: 'link_invalid' } });
        return { ok: false, code: 'link_invalid', message: '' };
      }
      case 'authSignUp':
        return { ok: false, code: 'email_in_use', message: '' };
      default:
        return {
          ok: false,
          code: 'invalid_credentials',
          message: 'Email or password is wrong. Check both, or create an account.',
        };
    }
  }

  const fake = {
    askBackground: answer,
    i18n: { getMessage: getMessageFrom(messages), getUILanguage: () => locale },
    runtime: {
      openOptionsPage: async () => {},
      getManifest: () => ({ name: 'Preview', icons: { 16: 'icons/icon-16.png', 48: 'icons/icon-48.png' } }),
      getURL: (path: string) => new URL(path, location.origin).href,
    },
    storage: {
      local,
      session,
      onChanged: {
        addListener: (listener: Listener) => listeners.add(listener),
        removeListener: (listener: Listener) => listeners.delete(listener),
      },
    },
  };
  Object.assign(globalThis, { chrome: fake });
  if (state.offline) Object.defineProperty(navigator, 'onLine', { value: false });
}
