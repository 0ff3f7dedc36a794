import { type PackOffer, pricing } from '@extension-billing/contract/pricing';
import type { ReactNode } from 'react';
import { formatPrice } from '../format/format-money.ts';
import { t } from '../text/t.ts';
import { BuyButton } from './buy-button.tsx';
import { packName } from './offer-text.ts';
import './packs.css';

/** Every pack, with what it costs and its button. `emphasis` makes the first one the obvious next step. */
export function PackList({ emphasis = false }: { readonly emphasis?: boolean }): ReactNode {
  return (
    <ul className="billing-packs">
      {pricing.packs.map((pack, index) => (
        <li key={pack.lookupKey} className="billing-pack">
          <div>
            <p className="billing-pack-name">{packName(pack)}</p>
            <p className="billing-hint">{perHundred(pack)}</p>
          </div>
          <div className="billing-pack-buy">
            <BuyButton
              lookupKey={pack.lookupKey}
              label={t('buyPack', formatPrice(pack.amount, pack.currency))}
              what={packName(pack)}
              look={emphasis && index === 0 ? 'primary' : 'secondary'}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}

function perHundred({ amount, currency, credits }: PackOffer): string {
  return t('packPerHundred', formatPrice(Math.round((amount * 100) / credits), currency));
}
