import type { EntitlementSnapshot } from '@extension-billing/client/content';
import { FeatureButton, t } from '@extension-billing/client/react';
import type { ReactNode } from 'react';

/** What the features are called, for the chart of what they spent. */
export function featureNames(): Readonly<Record<string, string>> {
  return { demo: t('featureNameDemo'), demo_deep: t('featureNameDemoDeep') };
}

/** What this demo sells: two features, at what the pricing file says. */
export function DemoFeatures({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  return (
    <section className="billing-features" aria-label={t('featuresTitle')}>
      <FeatureButton feature="demo" label={t('featureDemo')} snapshot={snapshot} />
      <FeatureButton feature="demo_deep" label={t('featureDemoDeep')} snapshot={snapshot} />
    </section>
  );
}
