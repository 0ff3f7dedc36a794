import type { ReactNode } from 'react';
import './features.css';

/** A feature's button as it looks, before it can be pressed; what it costs comes with the page. */
export function FeatureToCome({ label }: { readonly label: ReactNode }): ReactNode {
  return (
    <div className="billing-feature">
      <button type="button" className="billing-button" data-wide>
        {label}
      </button>
      <span className="billing-hint">{'\u00a0'}</span>
    </div>
  );
}
