import type { PlanOffer } from '@extension-billing/contract/catalog';
import { isRunning } from '@extension-billing/contract/subscription-status';
import { type ReactNode, useId, useState } from 'react';
import { givenCatalog, wholeCatalog } from '../../given-catalog.ts';
import { useNow } from '../../hooks.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Toggle } from '../controls.tsx';
import { t } from '../text/texts.ts';
import {
  type BillingInterval,
  derivePlanChoice,
  deriveYearlyPrice,
  describeYearly,
  hasTwoIntervals,
  intervalOf,
  plansApart,
  plansFor,
} from './choices.ts';
import './offers.css';
import './plans.css';
import { TAKES_FOCUS } from '../focus.ts';
import { formatMoney, formatPrice } from '../format.ts';
import { planBenefits } from './benefits.ts';
import { PlanButton, planNotes } from './plan-action.tsx';
import { planName, siblingOf } from './plan-names.ts';
import { PriceNote, usePrices } from './prices.tsx';

/** Every plan, with a choice between monthly and yearly where there is one. */
export function PlanGrid({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  const now = useNow();
  const word = usePrices();
  const [chosen, setChosen] = useState<BillingInterval | null>(null);
  const interval = chosen ?? intervalOf(snapshot.plan, givenCatalog.plans);
  const apart = plansApart(interval, givenCatalog.plans);
  const plans = plansFor(interval, givenCatalog.plans).filter((plan) => !apart.includes(plan));
  const renewing = plans.filter(({ kind }) => kind === 'subscription');
  const recommended = snapshot.paid
    ? undefined
    : (plans.find(({ popular }) => popular) ??
      renewing.find(({ credits }) => credits !== null) ??
      renewing[0]);
  return (
    <>
      <div className="billing-plans-head">
        <h2>{t('plansTitle')}</h2>
        {!isRunning(snapshot.status) && <CurrencyToggle />}
        {hasTwoIntervals(givenCatalog.plans) && <IntervalToggle interval={interval} onChoose={setChosen} />}
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
      <PriceNote word={word} />
    </>
  );
}

interface IntervalToggleProps {
  readonly interval: BillingInterval;
  readonly onChoose: (interval: BillingInterval) => void;
}

function IntervalToggle({ interval, onChoose }: IntervalToggleProps): ReactNode {
  return (
    <Toggle
      label={t('intervalLabel')}
      value={interval}
      choices={[
        ['month', t('intervalMonthly')],
        ['year', describeYearly(givenCatalog.plans)],
      ]}
      onChoose={onChoose}
    />
  );
}

/** A choice between the currencies of the catalogue; nothing where there is one. */
function CurrencyToggle(): ReactNode {
  const [first] = wholeCatalog?.plans ?? [];
  const currencies = first === undefined ? [] : [first.currency, ...Object.keys(first.prices ?? {})];
  const now = givenCatalog.plans[0]?.currency;
  if (currencies.length < 2 || now === undefined) return null;
  return (
    <Toggle
      label={t('currencyLabel')}
      value={now}
      choices={currencies.map((currency) => [currency, currency.toUpperCase()])}
      onChoose={(currency) =>
        void import('./follow-prices.ts').then(({ saveCurrency }) => saveCurrency(currency))
      }
    />
  );
}

interface PlanCardProps {
  readonly plan: PlanOffer;
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** The plan to look at first. */
  readonly recommended: boolean;
}

/** One plan: what it costs, what is in it, and what this user can do about it. */
function PlanCard({ plan, snapshot, now, recommended }: PlanCardProps): ReactNode {
  const choice = derivePlanChoice(plan, snapshot, givenCatalog);
  const nameId = useId();
  return (
    <article
      {...TAKES_FOCUS}
      aria-labelledby={nameId}
      className="billing-plan"
      data-current={choice.kind === 'current' || undefined}
      data-recommended={recommended || undefined}
    >
      <h3 className="billing-plan-name" id={nameId}>
        {planName(plan)}
      </h3>
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
  const monthly = plan.interval === 'year' ? siblingOf(plan, givenCatalog.plans) : undefined;
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
  const notesId = useId();
  const notes = planNotes(plan, snapshot, now);
  return (
    <>
      {notes.length > 0 && (
        <div id={notesId}>
          {notes.map((note) => (
            <p key={note} className="billing-plan-note">
              {note}
            </p>
          ))}
        </div>
      )}
      <PlanButton
        plan={plan}
        snapshot={snapshot}
        look={recommended ? 'primary' : 'secondary'}
        describedBy={notesId}
      />
    </>
  );
}
