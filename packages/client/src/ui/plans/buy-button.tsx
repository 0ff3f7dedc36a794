import type { LookupKey } from '@extension-billing/contract/pricing';
import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { t } from '../text/t.ts';
import { useCheckout } from './checkout-context.tsx';

interface BuyButtonProps {
  readonly lookupKey: LookupKey;
  /** What a click does, such as "Start 7-day trial". */
  readonly label: string;
  /** What is bought, for those who do not see where the button stands. */
  readonly what: string;
  readonly look?: 'primary' | 'secondary';
}

/** Opens a checkout, and says so until the purchase arrives. A second click opens it again. */
export function BuyButton({ lookupKey, label, what, look = 'secondary' }: BuyButtonProps): ReactNode {
  const { opening, open, buy } = useCheckout();
  const isOpen = open === lookupKey;
  const text = opening === lookupKey ? t('buyOpening') : isOpen ? t('buyOpenAgain') : label;
  return (
    <>
      <Button
        look={look}
        wide
        busy={opening === lookupKey}
        onClick={() => buy(lookupKey)}
        data-testid={`buy-${lookupKey}`}
        aria-label={`${text}: ${what}`}
      >
        {text}
      </Button>
      <span className="billing-hint" role="status">
        {isOpen && t('buyOpenInTab')}
      </span>
    </>
  );
}
