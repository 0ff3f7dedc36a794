import { type LookupKey, offerOf } from '@extension-billing/contract/catalog';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { useStoredValue } from '../../hooks.ts';
import { pageBrowser } from '../../page-browser.ts';
import { oneAtATime } from '../../promises.ts';
import type { OfferKey } from '../../register.ts';
import { send } from '../../send.ts';
import { OPEN_CHECKOUT_KEY, type OpenCheckout, parseOpenCheckout } from '../../snapshot/open-checkout.ts';
import { type EntitlementSnapshot, haveCreditsCome, keyHere } from '../../snapshot/snapshot.ts';
import { useSnapshot } from '../../use-snapshot.ts';
import { NO_WORKER, sayRefusal } from '../notifications/say-refusal.ts';
import { useToast } from '../notifications/toasts.tsx';

/** What of a checkout is under way, and how to begin one. */
export interface Checkout {
  /** The offer whose page is being asked for. */
  readonly opening: LookupKey | null;
  /** The offer whose checkout is open in a tab. */
  readonly open: LookupKey | null;
  /** What somebody who is not signed in asked for: its checkout opens once they are. */
  readonly wanted: LookupKey | null;
  /** Opens the hosted checkout of an offer, or the page that changes to it, in a tab, also a second time; ignored while one is being asked for. */
  readonly buy: (lookupKey: OfferKey, isChange?: boolean) => void;
}

const CheckoutContext = createContext<Checkout>({
  opening: null,
  open: null,
  wanted: null,
  buy: () => {},
});

/** Follows the one checkout of this user, in whatever page it was opened, until the purchase arrives. */
export function CheckoutProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const snapshot = useSnapshot();
  const say = useToast();
  const [opening, setOpening] = useState<LookupKey | null>(null);
  const [alone] = useState(oneAtATime);
  const [wanted, setWanted] = useState<LookupKey | null>(null);
  const key = keyHere(OPEN_CHECKOUT_KEY, pageBrowser());
  const { value: checkout, store } = useStoredValue('session', key, parseOpenCheckout);

  useEffect(() => {
    if (!checkout || snapshot === null) return;
    const progress = deriveCheckoutProgress(checkout, snapshot, Date.now());
    switch (progress.kind) {
      case 'open':
        return;
      case 'still_open':
        return store(progress.checkout);
      case 'arrived':
        // A popup that was closed meanwhile has not seen it happen.
        import('../notifications/notifications.ts').then(({ notify }) =>
          notify(checkout.before, snapshot, say),
        );
        return store(null);
      case 'forgotten':
        return store(null);
      default:
        return progress satisfies never;
    }
  }, [checkout, snapshot, store, say]);

  const buy = useCallback(
    (lookupKey: LookupKey, isChange = false) => {
      if (snapshot === null) return;
      if (snapshot.uid === null) return setWanted(lookupKey);
      void alone(async () => {
        setOpening(lookupKey);
        try {
          // What was shown is what is charged.
          const currency = offerOf(givenCatalog, lookupKey)?.currency;
          const result = isChange
            ? await send('billingChange', { lookupKey })
            : await send('billingCheckout', { lookupKey, ...(currency !== undefined && { currency }) });
          if (!result.ok) sayRefusal(say, result);
        } catch {
          sayRefusal(say, NO_WORKER);
        } finally {
          setOpening(null);
        }
      });
    },
    [snapshot, say, alone],
  );

  const isSignedIn = snapshot !== null && snapshot.uid !== null;
  useEffect(() => {
    if (!isSignedIn || wanted === null) return;
    setWanted(null);
    buy(wanted);
  }, [isSignedIn, wanted, buy]);

  const open = checkout?.lookupKey ?? null;
  return (
    <CheckoutContext.Provider value={{ opening, open, wanted, buy }}>{children}</CheckoutContext.Provider>
  );
}

/** The checkout of the `CheckoutProvider` around. */
export function useCheckout(): Checkout {
  return useContext(CheckoutContext);
}

/** After this a checkout that nobody finished is forgotten. */
const FORGET_AFTER_MS = 30 * 60_000;

type CheckoutProgress =
  | { readonly kind: 'open' }
  /** The same checkout against a later state: a spend meanwhile must not hide a top-up that follows. */
  | { readonly kind: 'still_open'; readonly checkout: OpenCheckout }
  | { readonly kind: 'arrived' }
  | { readonly kind: 'forgotten' };

/** What has become of an open checkout, by the snapshot that is known now. */
export function deriveCheckoutProgress(
  checkout: OpenCheckout,
  snapshot: EntitlementSnapshot,
  now: number,
): CheckoutProgress {
  if (checkout.before.uid !== snapshot.uid) return { kind: 'forgotten' };
  if (isHere(checkout, snapshot)) return { kind: 'arrived' };
  if (now - checkout.openedAt > FORGET_AFTER_MS) return { kind: 'forgotten' };
  const spent = packCreditsOf(snapshot) < packCreditsOf(checkout.before);
  return spent ? { kind: 'still_open', checkout: { ...checkout, before: snapshot } } : { kind: 'open' };
}

/** A pack brings pack credits; a plan becomes the current one, or the one that it changes to. What else changes meanwhile is not this purchase. */
function isHere({ lookupKey, before }: OpenCheckout, snapshot: EntitlementSnapshot): boolean {
  if (offerOf(givenCatalog, lookupKey)?.kind === 'pack')
    return (
      packCreditsOf(snapshot) > packCreditsOf(before) && haveCreditsCome(before.credits, snapshot.credits)
    );
  const has = ({ plan, paid, plannedChange }: EntitlementSnapshot): boolean =>
    paid && (plan === lookupKey || plannedChange?.plan === lookupKey);
  return has(snapshot) && !has(before);
}

function packCreditsOf({ credits }: EntitlementSnapshot): number {
  return credits?.packCredits ?? 0;
}
