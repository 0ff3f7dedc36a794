import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../billing/snapshot/snapshot.ts';
import { FeatureButton } from '../billing/ui/features/feature-button.tsx';
import { t } from '../billing/ui/text/t.ts';

/** What this demo sells: two features, at what the pricing file says. */
export function DemoFeatures({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  return (
    <section className="billing-features" aria-label={t('featuresTitle')}>
      <FeatureButton feature="demo" label={t('featureDemo')} snapshot={snapshot} />
      <FeatureButton feature="demo_deep" label={t('featureDemoDeep')} snapshot={snapshot} />
    </section>
  );
}
