import type { Catalog } from '@extension-billing/contract/catalog';
import type { BillingState } from '@extension-billing/contract/customer';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { StorageListener } from './browser-storage.ts';
import { givenCatalog, onPricingChanged, pricingLoaded, thisApp } from './given-catalog.ts';
import { keepBillingAlive } from './keep-alive.ts';
import type { SessionReply } from './messages.ts';
import { pageBrowser } from './page-browser.ts';
import type { Entitlement } from './register.ts';
import { send } from './send.ts';
import {
  type AccessView,
  ANSWER_WITHIN_MS,
  accessView,
  billingStateView,
  type Moment,
} from './snapshot/access.ts';
import { pageMoment, TICK_MS } from './snapshot/page-moment.ts';
import { snapshotStore } from './snapshot/read.ts';
import {
  type CreditsView,
  countsIn,
  creditsView,
  type EntitlementView,
  entitlementView,
} from './snapshot/views.ts';
import { builtInTexts, onTextsChanged, textsLoaded } from './ui/text/texts.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The time, moving once a minute, and since when this page waits for the server (page-moment.ts). */
export function useMoment(): Required<Moment> {
  const [moment, setMoment] = useState(pageMoment);
  useEffect(() => {
    let answer: ReturnType<typeof setTimeout> | undefined;
    const wait = ({ now, askedAt }: Required<Moment>): void => {
      clearTimeout(answer);
      const left = askedAt + ANSWER_WITHIN_MS - now;
      if (left > 0) answer = setTimeout(tick, left);
    };
    const tick = (): void => {
      const next = pageMoment();
      setMoment(next);
      wait(next);
    };
    wait(pageMoment());
    const timer = setInterval(tick, TICK_MS);
    addEventListener('offline', tick);
    document.addEventListener('visibilitychange', tick);
    // The clock may be what changed the snapshot.
    const stop = snapshotStore().subscribe(tick);
    return () => {
      stop();
      clearInterval(timer);
      clearTimeout(answer);
      removeEventListener('offline', tick);
      document.removeEventListener('visibilitychange', tick);
    };
  }, []);
  return moment;
}

/** Whether what was paid for may be used now, and how sure that is without a word of the server. */
export function useAccess(): AccessView {
  return accessView(useSnapshot(), useMoment().now);
}

/** One billing-state key (specification, "States and transitions"), or null until the first snapshot is known. */
export function useBillingState(): BillingState | null {
  return billingStateView(useSnapshot(), useMoment());
}

/**
 * Whether the signed-in user has the entitlement, `paid` being any plan; also after a while offline (useAccess says how
 * long). Never a flash of "not entitled": `loading` until it is known.
 */
export function useEntitlement(entitlement: Entitlement): EntitlementView {
  const snapshot = useSnapshot();
  const view = entitlementView(snapshot, useMoment(), entitlement);
  const entitled = view.entitled && countsIn(thisApp(), entitlement, snapshot);
  const { loading } = view;
  return useMemo(() => ({ entitled, loading }), [entitled, loading]);
}

/** The credit balance; all three null when credits are not in use on the account, and while loading. */
export function useCredits(): CreditsView {
  const snapshot = useSnapshot();
  return useMemo(() => creditsView(snapshot), [snapshot]);
}

/**
 * Call once at the root of every page that shows billing. Opening a popup alone does not wake the worker.
 * `onSession` hears who is signed in; give it a stable function (a state setter is one).
 */
export function useBillingKeepAlive(onSession?: (session: SessionReply) => void): void {
  useEffect(() => keepBillingAlive(onSession), [onSession]);
}

/** Who is signed in, as the worker said last. */
export interface Session {
  /** null until the worker has answered. */
  readonly reply: SessionReply | null;
  /** Asks again now, for instance after a sign-in. */
  readonly refresh: () => void;
}

/** Who is signed in, asked for again whenever the snapshot is another user's. */
export function useSession(uid: string | null | undefined): Session {
  const [reply, setReply] = useState<SessionReply | null>(null);
  useBillingKeepAlive(setReply);
  const refresh = useCallback(() => {
    send('billingHello', {}).then(setReply, () => {}); // where it fails, the keep-alive asks again
  }, []);
  const known = reply?.user?.uid ?? null;
  useEffect(() => {
    if (uid !== undefined && uid !== known) refresh();
  }, [uid, known, refresh]);
  return { reply, refresh };
}

/** Milliseconds since the epoch, moving once a minute: enough for days left and "as of". */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

const subscribeToNetwork = (onChange: () => void): (() => void) => {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
};

/** Whether the browser has a network at all. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    subscribeToNetwork,
    () => navigator.onLine,
    () => true,
  );
}

/** A value in an area of `chrome.storage` that every open page shows alike; `undefined` until it was read. */
export interface StoredValue<T> {
  readonly value: T | null | undefined;
  /** null removes it. */
  readonly store: (next: T | null) => void;
}

/** `parse` turns what is stored into a value or null; give it a stable function. */
export function useStoredValue<T>(
  areaName: 'local' | 'session',
  key: string,
  parse: (stored: unknown) => T | null,
): StoredValue<T> {
  const [value, setValue] = useState<T | null>();

  useEffect(() => {
    let changed = false;
    const { storage } = pageBrowser();
    const onChanged: StorageListener = (changes, area) => {
      const change = area === areaName ? changes[key] : undefined;
      if (change === undefined) return;
      changed = true;
      setValue(parse(change.newValue));
    };
    storage.onChanged.addListener(onChanged);
    const read = async (): Promise<unknown> => (await storage[areaName].get(key))[key];
    // If the storage can't be read, nothing is stored: a page that waited would show nothing for good.
    read()
      .catch(() => undefined)
      .then((stored) => {
        // A change that was reported meanwhile is newer than what this read saw.
        if (!changed) setValue(parse(stored));
      });
    return () => storage.onChanged.removeListener(onChanged);
  }, [areaName, key, parse]);

  const store = useCallback(
    (next: T | null) => {
      setValue(next);
      const area = pageBrowser().storage[areaName];
      // A full or broken storage: this page goes by the value all the same.
      (next === null ? area.remove(key) : area.set({ [key]: next })).catch(() => {});
    },
    [areaName, key],
  );
  return { value, store };
}

/** What is sold and what a feature costs: the published prices, or those of the bundle, again whenever they change. */
export function usePricing(): Catalog {
  useEffect(() => void pricingLoaded(), []);
  return useSyncExternalStore(onPricingChanged, currentPricing, currentPricing);
}
const currentPricing = (): Catalog => givenCatalog;

/** Brings the texts of the user's language, and renders again when they come after the first render. */
export function useTexts(): void {
  useSyncExternalStore(onTextsChanged, builtInTexts, builtInTexts);
  useEffect(() => void textsLoaded(), []);
}
