import { type ReactNode, useEffect, useState } from 'react';
import { useSnapshot } from '../../use-snapshot.ts';
import { t } from '../text/texts.ts';

/** `unconfirmed`: what is shown is the catalogue's, because the service cannot be asked, or not for nobody. */
export type PriceWord = 'pending' | 'confirmed' | 'unconfirmed';

/** Shows what offers cost this user, and how sure that is. For each list of offers; read when it is first shown. */
export function usePrices(): PriceWord {
  const snapshot = useSnapshot();
  const uid = snapshot?.uid ?? null;
  const isKnown = snapshot !== null;
  const [word, setWord] = useState<PriceWord>('pending');
  useEffect(() => {
    if (!isKnown) return;
    const following = import('./follow-prices.ts').then(({ followPrices }) => followPrices(uid, setWord));
    return () => void following.then((stop) => stop());
  }, [isKnown, uid]);
  return word;
}

/** Says of amounts that the service has not confirmed who has the last word. */
export function PriceNote({ word }: { readonly word: PriceWord }): ReactNode {
  return word === 'unconfirmed' && <p className="billing-hint">{t('priceUnconfirmed')}</p>;
}
