import type { EntitlementSnapshot } from '@extension-billing/client/content';
import { FeatureButton } from '@extension-billing/client/react';
import type { ReactNode } from 'react';
import { demoText } from './demo-text.ts';

/** What the features are called, for the chart of what they spent. */
export function featureNames(): Readonly<Record<string, string>> {
  return { demo: demoText('featureNameDemo'), demo_deep: demoText('featureNameDemoDeep') };
}

/** What this demo sells: two features, at what the catalogue says. */
export function DemoFeatures({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  return (
    <section className="billing-features" aria-label={demoText('featuresTitle')}>
      <FeatureButton feature="demo" label={demoText('featureDemo')} snapshot={snapshot} />
      <FeatureButton feature="demo_deep" label={demoText('featureDemoDeep')} snapshot={snapshot} />
    </section>
  );
}
