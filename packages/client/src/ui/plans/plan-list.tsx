import type { PlanOffer } from '@extension-billing/contract/catalog';
import type { ReactNode } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { useNow } from '../../hooks.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { englishOfOffers } from '../text/english-of-offers.ts';
import { bringTexts, t } from '../text/texts.ts';
import { derivePlanChoice, deriveYearlyPrice, describePlanEnd, planFamilies } from './choices.ts';
import { planBenefits, planCostOf } from './offers.ts';
import { BuyButton } from './packs.tsx';
import { planName, siblingOf } from './plan-names.ts';
import { PriceNote, usePrices } from './prices.tsx';
import './offers.css';

bringTexts(englishOfOffers);

/** Every plan that this user can buy, with what it gives and a row for each price: for a place too narrow for cards. */
export function PlanList({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  const now = useNow();
  const word = usePrices();
  const offers = givenCatalog.plans.filter(
    (plan) => derivePlanChoice(plan, snapshot, givenCatalog).kind === 'buy',
  );
  return (
    <>
      <ul className="billing-packs">
        {planFamilies(offers).map((family) => {
          const [first] = family;
          return first === undefined ? null : (
            <li key={first.lookupKey} className="billing-offer">
              <h3 className="billing-pack-name">{planName(first)}</h3>
              <ul className="billing-benefits">
                {planBenefits(first).map((benefit) => (
                  <li key={benefit}>{benefit}</li>
                ))}
              </ul>
              {family.map((plan) => (
                <PlanRow
                  key={plan.lookupKey}
                  plan={plan}
                  snapshot={snapshot}
                  now={now}
                  isFirst={plan === offers[0]}
                />
              ))}
            </li>
          );
        })}
      </ul>
      <PriceNote word={word} />
    </>
  );
}

interface PlanRowProps {
  readonly plan: PlanOffer;
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  readonly isFirst: boolean;
}

function PlanRow({ plan, snapshot, now, isFirst }: PlanRowProps): ReactNode {
  const choice = derivePlanChoice(plan, snapshot, givenCatalog);
  const trialDays = choice.kind === 'buy' ? choice.trialDays : 0;
  const saving =
    plan.interval === 'year' ? deriveYearlyPrice(plan, siblingOf(plan, givenCatalog.plans)).savingPercent : 0;
  return (
    <div className="billing-pack">
      <p>
        {planCostOf(plan.lookupKey)}
        {saving > 0 && <span className="billing-saving">{t('priceSaving', saving)}</span>}
        {describePlanEnd(plan, snapshot, now).map((line) => (
          <span key={line} className="billing-hint">
            {' '}
            {line}
          </span>
        ))}
      </p>
      <div className="billing-pack-buy">
        <BuyButton
          lookupKey={plan.lookupKey}
          label={trialDays > 0 ? t('buyTrial', trialDays) : t('buyPlan')}
          what={`${planName(plan)}, ${planCostOf(plan.lookupKey)}`}
          look={isFirst ? 'primary' : 'secondary'}
        />
      </div>
    </div>
  );
}
