import type { PlanOffer } from '@extension-billing/contract/catalog';
import { type ReactNode, useId } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { useNow } from '../../hooks.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { t } from '../text/texts.ts';
import { planBenefits } from './benefits.ts';
import { derivePlanChoice, deriveYearlyPrice, planFamilies } from './choices.ts';
import { planCostOf } from './offers.ts';
import { PlanButton, planNotes } from './plan-action.tsx';
import { planName, siblingOf } from './plan-names.ts';
import { PriceNote, usePrices } from './prices.tsx';
import './offers.css';

interface PlanListProps {
  readonly snapshot: EntitlementSnapshot;
  /** These, also if the plan that runs has to be changed for one; without it every plan that can be bought beside it. */
  readonly plans?: readonly PlanOffer[];
}

/** Plans for sale, with what each gives and a row for each price: for a place too narrow for cards. */
export function PlanList({ snapshot, plans }: PlanListProps): ReactNode {
  const now = useNow();
  const word = usePrices();
  const offers =
    plans ??
    givenCatalog.plans.filter((plan) => derivePlanChoice(plan, snapshot, givenCatalog).kind === 'buy');
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
  const notesId = useId();
  const saving =
    plan.interval === 'year' ? deriveYearlyPrice(plan, siblingOf(plan, givenCatalog.plans)).savingPercent : 0;
  return (
    <div className="billing-pack">
      <p>
        {planCostOf(plan.lookupKey)}
        {saving > 0 && <span className="billing-saving">{t('priceSaving', saving)}</span>}
        <span id={notesId} className="billing-hint">
          {planNotes(plan, snapshot, now).map((line) => ` ${line}`)}
        </span>
      </p>
      <div className="billing-pack-buy">
        <PlanButton
          plan={plan}
          snapshot={snapshot}
          look={isFirst ? 'primary' : 'secondary'}
          describedBy={notesId}
        />
      </div>
    </div>
  );
}
