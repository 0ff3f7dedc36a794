import { type PlanOffer, pricing } from '@extension-billing/contract/pricing';
import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatMoney, formatPrice } from '../format/format-money.ts';
import { t } from '../text/t.ts';
import { BuyButton } from './buy-button.tsx';
import { derivePlanChoice, deriveYearlyPrice } from './derive-choices.ts';
import { planBenefits, planCostOf, planName } from './offer-text.ts';
import { describePlanEnd } from './plan-end.ts';
import { siblingOf } from './sibling-of.ts';

interface PlanCardProps {
  readonly plan: PlanOffer;
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** The plan to look at first. */
  readonly recommended: boolean;
}

/** One plan: what it costs, what is in it, and what this user can do about it. */
export function PlanCard({ plan, snapshot, now, recommended }: PlanCardProps): ReactNode {
  const choice = derivePlanChoice(plan, snapshot, pricing);
  return (
    <article
      className="billing-plan"
      data-current={choice.kind === 'current' || undefined}
      data-recommended={recommended || undefined}
    >
      <h3 className="billing-plan-name">{planName(plan)}</h3>
      {choice.kind === 'current' && <p className="billing-plan-flag">{t('planCurrent')}</p>}
      <PlanPrice plan={plan} />
      <ul className="billing-benefits">
        {planBenefits(plan).map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
      <div className="billing-plan-action">
        <PlanAction plan={plan} snapshot={snapshot} now={now} recommended={recommended} />
      </div>
    </article>
  );
}

function PlanPrice({ plan }: { readonly plan: PlanOffer }): ReactNode {
  const monthly = plan.interval === 'year' ? siblingOf(plan, pricing.plans) : undefined;
  const yearly = plan.interval === 'year' ? deriveYearlyPrice(plan, monthly) : null;
  return (
    <div className="billing-plan-price">
      <p>
        <span className="billing-amount">{formatPrice(yearly?.perMonth ?? plan.amount, plan.currency)}</span>{' '}
        <span className="billing-hint">{plan.interval === 'once' ? t('priceOnce') : t('pricePerMonth')}</span>
      </p>
      <p className="billing-hint">
        {yearly === null
          ? plan.interval === 'once'
            ? t('priceNoRenewal')
            : t('priceBilledMonthly')
          : t('priceBilledYearly', formatMoney(plan.amount, plan.currency))}
        {yearly !== null && yearly.savingPercent > 0 && (
          <span className="billing-saving">{t('priceSaving', yearly.savingPercent)}</span>
        )}
      </p>
    </div>
  );
}

function PlanAction({ plan, snapshot, now, recommended }: PlanCardProps): ReactNode {
  const choice = derivePlanChoice(plan, snapshot, pricing);
  switch (choice.kind) {
    case 'buy':
      return (
        <>
          {describePlanEnd(plan, snapshot, now).map((line) => (
            <p key={line} className="billing-plan-note">
              {line}
            </p>
          ))}
          <BuyButton
            lookupKey={plan.lookupKey}
            label={choice.trialDays > 0 ? t('buyTrial', choice.trialDays) : t('buyPlan')}
            what={`${planName(plan)}, ${planCostOf(plan.lookupKey)}`}
            look={recommended ? 'primary' : 'secondary'}
          />
        </>
      );
    case 'current':
      return <p className="billing-plan-note">{t('planIsYours')}</p>;
    case 'included':
      return <p className="billing-plan-note">{t('planIncluded')}</p>;
    case 'after_current':
      return <p className="billing-plan-note">{t('planAfterCurrent')}</p>;
    default:
      return choice satisfies never;
  }
}
