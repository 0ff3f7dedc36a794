import { FeatureToCome } from '@extension-billing/client/first';
import type { ReactNode } from 'react';
import catalog from '../../../billing.config.ts';
import { featureText } from './demo-text.ts';

/** What this demo sells, as the first frame of a page has it (demo-features.tsx). */
export function FeaturesToCome(): ReactNode {
  return (
    <div className="billing-features">
      {Object.keys(catalog.features).map((feature) => (
        <FeatureToCome key={feature} label={featureText('run', feature)} />
      ))}
    </div>
  );
}
