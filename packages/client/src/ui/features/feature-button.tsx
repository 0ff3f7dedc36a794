import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { describeAccess } from './describe-access.ts';
import { useFeature } from './use-feature.ts';
import './features.css';

interface FeatureButtonProps {
  /** The feature's name in the pricing file. */
  readonly feature: string;
  readonly label: string;
  readonly snapshot: EntitlementSnapshot;
  /** Does what the user pays for; called once it is paid. */
  readonly onPaid?: () => void;
}

/**
 * Runs a feature and says what it took. Off, with the reason, when the credits do not reach; where a plan is needed it
 * raises the wall with the plans.
 */
export function FeatureButton({ feature, label, snapshot, onPaid }: FeatureButtonProps): ReactNode {
  const { access, isRunning, run } = useFeature(feature, snapshot);
  return (
    <div className="billing-feature">
      <Button
        wide
        busy={isRunning}
        disabled={access.kind === 'needs_credits'}
        onClick={() => void run().then((isPaid) => isPaid && onPaid?.())}
        data-testid={`run-${feature}`}
      >
        {label}
      </Button>
      <span className="billing-hint">{describeAccess(access)}</span>
    </div>
  );
}
