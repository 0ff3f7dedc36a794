import type { ReactNode } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { OfferKey } from '../../register.ts';
import { formatPrice } from '../format.ts';
import { t } from '../text/texts.ts';
import { describePack } from './benefits.ts';
import { packName } from './offers.ts';
import './offers.css';
import { Button } from '../controls.tsx';
import { useFocusHandover } from '../focus.ts';
import { useCheckout } from './checkout.tsx';
import { PriceNote, usePrices } from './prices.tsx';

/** Every pack, with what it costs and its button. `emphasis` makes the popular or first one the obvious next step. */
export function PackList({ emphasis = false }: { readonly emphasis?: boolean }): ReactNode {
  const word = usePrices();
  const { packs, plans } = givenCatalog;
  const first = packs.find(({ popular }) => popular) ?? packs[0];
  return (
    <>
      <ul className="billing-packs">
        {packs.map((pack) => (
          <li key={pack.lookupKey} className="billing-pack">
            <div>
              <p className="billing-pack-name">{packName(pack)}</p>
              <p className="billing-hint">{describePack(pack)}</p>
            </div>
            <div className="billing-pack-buy">
              <BuyButton
                lookupKey={pack.lookupKey}
                label={t('buyPack', formatPrice(pack.amount, pack.currency))}
                what={packName(pack)}
                look={emphasis && pack === first ? 'primary' : 'secondary'}
              />
            </div>
          </li>
        ))}
      </ul>
      {plans.length === 0 && <PriceNote word={word} />}
    </>
  );
}

interface BuyButtonProps {
  readonly lookupKey: OfferKey;
  /** What a click does, such as "Choose plan". */
  readonly label: string;
  /** What is bought, for those who do not see where the button stands. */
  readonly what: string;
  readonly look?: 'primary' | 'secondary';
  /** The plan that runs is changed to it. */
  readonly isChange?: boolean;
  /** The id of what says more of it, such as when it takes effect. */
  readonly describedBy?: string;
}

/** Opens a checkout, and says so until the purchase arrives. A second click opens it again. */
export function BuyButton({
  lookupKey,
  label,
  what,
  look = 'secondary',
  isChange = false,
  describedBy,
}: BuyButtonProps): ReactNode {
  const button = useFocusHandover();
  const { opening, open, buy } = useCheckout();
  const isOpen = open === lookupKey;
  const text = opening === lookupKey ? t('buyOpening') : isOpen ? t('buyOpenAgain') : label;
  return (
    <>
      <Button
        // A second payment is not what to do next.
        look={isOpen ? 'quiet' : look}
        wide
        busy={opening === lookupKey}
        onClick={() => buy(lookupKey, isChange)}
        data-testid={`buy-${lookupKey}`}
        aria-label={`${text}: ${what}`}
        aria-describedby={describedBy}
        ref={button}
      >
        {text}
      </Button>
      <span className="billing-hint" role="status">
        {isOpen && t('buyOpenInTab')}
      </span>
    </>
  );
}
