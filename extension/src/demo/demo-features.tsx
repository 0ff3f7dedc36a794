import type { EntitlementSnapshot } from '@extension-billing/client/content';
import { FeatureButton } from '@extension-billing/client/react';
import type { ReactNode } from 'react';
import catalog from '../../../billing.config.ts';
import { demoText, featureText } from './demo-text.ts';

const FEATURES = Object.keys(catalog.features);

/** What the features are called, for the chart of what they spent. */
export function featureNames(): Readonly<Record<string, string>> {
  return Object.fromEntries(FEATURES.map((feature) => [feature, featureText('feature', feature)]));
}

/** What this demo sells: every feature of the catalogue, at what that says. */
export function DemoFeatures({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  return (
    <section className="billing-features" aria-label={demoText('featuresTitle')}>
      {FEATURES.map((feature) => (
        <FeatureButton
          key={feature}
          feature={feature}
          label={featureText('run', feature)}
          snapshot={snapshot}
        />
      ))}
    </section>
  );
}
