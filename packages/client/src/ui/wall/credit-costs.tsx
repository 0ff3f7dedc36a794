import { costOf, pricing } from '@extension-billing/contract/pricing';
import type { ReactNode } from 'react';
import { formatCount } from '../format/format-date.ts';
import { t, tCount } from '../text/t.ts';

/** What credits buy: each feature that takes some, by the name that the extension gives it, and what it takes. */
export function CreditCosts({
  featureNames = {},
}: {
  readonly featureNames?: Readonly<Record<string, string>>;
}): ReactNode {
  const costs = Object.keys(pricing.features).flatMap((feature) => {
    const cost = costOf(pricing, feature) ?? 0;
    return cost > 0 ? [{ name: featureNames[feature] ?? feature, cost }] : [];
  });
  if (costs.length === 0) return null;
  return (
    <div className="billing-costs">
      <h3>{t('wallCosts')}</h3>
      <dl>
        {costs.map(({ name, cost }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{tCount(cost, 'featureCost', formatCount(cost))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
