import { pricing } from '@extension-billing/contract/pricing';
import { type ReactNode, useState } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useNow } from '../surface/use-now.ts';
import { t } from '../text/t.ts';
import { Toggle } from '../toggle.tsx';
import {
  type BillingInterval,
  bestYearlySaving,
  hasTwoIntervals,
  intervalOf,
  plansApart,
  plansFor,
} from './derive-choices.ts';
import { PlanCard } from './plan-card.tsx';
import './benefits.css';
import './plans.css';

/** Every plan, with a choice between monthly and yearly where there is one. */
export function PlanGrid({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  const now = useNow();
  const [chosen, setChosen] = useState<BillingInterval | null>(null);
  const interval = chosen ?? intervalOf(snapshot.plan, pricing.plans);
  const apart = plansApart(interval, pricing.plans);
  const plans = plansFor(interval, pricing.plans).filter((plan) => !apart.includes(plan));
  const renewing = plans.filter(({ kind }) => kind === 'subscription');
  const recommended = snapshot.paid
    ? undefined
    : (renewing.find(({ monthlyCredits }) => monthlyCredits > 0) ?? renewing[0]);
  return (
    <>
      <div className="billing-plans-head">
        <h2>{t('plansTitle')}</h2>
        {hasTwoIntervals(pricing.plans) && <IntervalToggle interval={interval} onChoose={setChosen} />}
      </div>
      <div className="billing-plans">
        {plans.map((plan) => (
          <PlanCard
            key={plan.lookupKey}
            plan={plan}
            snapshot={snapshot}
            now={now}
            recommended={plan === recommended}
          />
        ))}
      </div>
      {apart.length > 0 && (
        <>
          <h3 className="billing-plans-apart">
            {t(interval === 'year' ? 'plansMonthlyOnly' : 'plansYearlyOnly')}
          </h3>
          <div className="billing-plans">
            {apart.map((plan) => (
              <PlanCard key={plan.lookupKey} plan={plan} snapshot={snapshot} now={now} recommended={false} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

interface IntervalToggleProps {
  readonly interval: BillingInterval;
  readonly onChoose: (interval: BillingInterval) => void;
}

function IntervalToggle({ interval, onChoose }: IntervalToggleProps): ReactNode {
  const saving = bestYearlySaving(pricing.plans);
  return (
    <Toggle
      label={t('intervalLabel')}
      value={interval}
      choices={[
        ['month', t('intervalMonthly')],
        ['year', saving > 0 ? t('intervalYearlySaves', saving) : t('intervalYearly')],
      ]}
      onChoose={onChoose}
    />
  );
}
