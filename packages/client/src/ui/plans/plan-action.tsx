import type { PlanOffer } from '@extension-billing/contract/catalog';
import type { ReactNode } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format.ts';
import { t } from '../text/texts.ts';
import { derivePlanChoice, describeChange, describePlanEnd } from './choices.ts';
import { planCostOf, shortCostOf } from './offers.ts';
import { BuyButton } from './packs.tsx';
import { lifetimeName, planName } from './plan-names.ts';

/** What is said of a plan beside its button, or in place of it. */
export function planNotes(plan: PlanOffer, snapshot: EntitlementSnapshot, now: number): readonly string[] {
  const choice = derivePlanChoice(plan, snapshot, givenCatalog);
  switch (choice.kind) {
    case 'buy':
      return describePlanEnd(plan, snapshot, now);
    case 'current':
      return [t('planIsYours')];
    case 'included':
      return [
        t(
          isWithoutCreditsOf(plan, snapshot) ? 'planIncludedNoCredits' : 'planIncluded',
          lifetimeName(snapshot.plan),
        ),
      ];
    case 'change':
      return [describeChange(choice, snapshot, now)];
    case 'planned':
      return [t('planChangesLater', formatDay(choice.at, now))];
    case 'after_current':
      return [t('planAfterCurrent')];
    default:
      return choice satisfies never;
  }
}

/** Whether the plan brings credits and the lifetime plan, which has all else of it, brings none. */
function isWithoutCreditsOf({ credits }: PlanOffer, snapshot: EntitlementSnapshot): boolean {
  const owned = givenCatalog.plans.find(({ lookupKey }) => lookupKey === snapshot.plan);
  return credits !== null && (owned?.credits ?? null) === null;
}

interface PlanButtonProps {
  readonly plan: PlanOffer;
  readonly snapshot: EntitlementSnapshot;
  readonly look: 'primary' | 'secondary';
  /** The id of the plan's notes. */
  readonly describedBy: string;
}

/** Buys a plan or changes to it; nothing if neither is possible now. */
export function PlanButton({ plan, snapshot, look, describedBy }: PlanButtonProps): ReactNode {
  const choice = derivePlanChoice(plan, snapshot, givenCatalog);
  if (choice.kind !== 'buy' && choice.kind !== 'change') return null;
  const cost = planCostOf(plan.lookupKey);
  return (
    <BuyButton
      lookupKey={plan.lookupKey}
      label={choice.kind === 'change' ? t('buyChange') : buyLabel(plan, choice.trialDays)}
      what={`${planName(plan)}, ${cost}`}
      look={look}
      {...(choice.kind === 'change' && { isChange: true, describedBy })}
    />
  );
}

/** "Start 7-day trial, then $9 per month": nobody starts a trial without the price that follows it. */
export function buyLabel(plan: PlanOffer, trialDays: number): string {
  return trialDays > 0 ? t('buyTrial', trialDays, shortCostOf(plan)) : t('buyPlan');
}
