import type { LookupKey } from '@extension-billing/contract/pricing';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { useSnapshot } from '../../hooks/use-snapshot.ts';
import { send } from '../../send.ts';
import { useToast } from '../feedback.tsx';
import { oneAtATime } from '../one-at-a-time.ts';
import { refusalText } from '../text/refusal-text.ts';
import { t } from '../text/t.ts';
import { useStoredValue } from '../use-stored-value.ts';
import { deriveCheckoutProgress, OPEN_CHECKOUT_KEY, parseOpenCheckout } from './open-checkout.ts';

export interface Checkout {
  /** The offer whose page is being asked for. */
  readonly opening: LookupKey | null;
  /** The offer whose checkout is open in a tab. */
  readonly open: LookupKey | null;
  /** What somebody who is not signed in asked for: its checkout opens once they are. */
  readonly wanted: LookupKey | null;
  /** Opens the hosted checkout of an offer in a tab, also a second time; ignored while one is being asked for. */
  readonly buy: (lookupKey: LookupKey) => void;
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
  const { value: checkout, store } = useStoredValue('session', OPEN_CHECKOUT_KEY, parseOpenCheckout);

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
        import('../happenings/tell-happening.ts').then(({ tellHappening }) =>
          tellHappening(checkout.before, snapshot, say),
        );
        return store(null);
      case 'forgotten':
        return store(null);
      default:
        return progress satisfies never;
    }
  }, [checkout, snapshot, store, say]);

  const buy = useCallback(
    (lookupKey: LookupKey) => {
      if (snapshot === null) return;
      if (snapshot.uid === null) return setWanted(lookupKey);
      void alone(async () => {
        setOpening(lookupKey);
        try {
          const result = await send('billingCheckout', { lookupKey });
          if (result.ok) store({ lookupKey, openedAt: Date.now(), before: snapshot });
          else say('refused', refusalText(result));
        } catch {
          say('refused', t('errorNoWorker'));
        } finally {
          setOpening(null);
        }
      });
    },
    [snapshot, say, store, alone],
  );

  const isSignedIn = snapshot !== null && snapshot.uid !== null;
  useEffect(() => {
    if (!isSignedIn || wanted === null) return;
    setWanted(null);
    buy(wanted);
  }, [isSignedIn, wanted, buy]);

  const open = checkout?.lookupKey ?? null;
  return <CheckoutContext value={{ opening, open, wanted, buy }}>{children}</CheckoutContext>;
}

export function useCheckout(): Checkout {
  return useContext(CheckoutContext);
}
