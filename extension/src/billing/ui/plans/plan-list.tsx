import { pricing } from '@contract/pricing.ts';
import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { t } from '../text/t.ts';
import { BuyButton } from './buy-button.tsx';
import { derivePlanChoice } from './derive-choices.ts';
import { planCostOf, planName } from './offer-text.ts';

/** Every plan that this user can buy, a row for each: for a place too narrow for cards. */
export function PlanList({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  const offers = pricing.plans.flatMap((plan) => {
    const choice = derivePlanChoice(plan, snapshot, pricing);
    return choice.kind === 'buy' ? [{ plan, trialDays: choice.trialDays }] : [];
  });
  return (
    <ul className="billing-packs">
      {offers.map(({ plan, trialDays }, index) => (
        <li key={plan.lookupKey} className="billing-pack">
          <div>
            <p className="billing-pack-name">{planName(plan)}</p>
            <p className="billing-hint">{planCostOf(plan.lookupKey)}</p>
          </div>
          <div className="billing-pack-buy">
            <BuyButton
              lookupKey={plan.lookupKey}
              label={trialDays > 0 ? t('buyTrial', trialDays) : t('buyPlan')}
              what={`${planName(plan)}, ${planCostOf(plan.lookupKey)}`}
              look={index === 0 ? 'primary' : 'secondary'}
            />
          </div>
        </li>
      ))}
    </ul>
  );
}
