import { costOf, pricing } from '@contract/pricing.ts';
import { type ReactNode, useState } from 'react';
import type { ConsumeResult } from '../../messages.ts';
import { send } from '../../send.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { useToast } from '../feedback.tsx';
import { usePlanWall } from '../wall/plan-wall-context.tsx';
import { deriveAccess } from './derive-access.ts';
import { describeAccess } from './describe-access.ts';
import { describeConsume } from './describe-consume.ts';
import './features.css';

interface FeatureButtonProps {
  /** The feature's name in the pricing file. */
  readonly feature: string;
  readonly label: string;
  readonly snapshot: EntitlementSnapshot;
}

/**
 * Runs a feature and says what it took. Off, with the reason, when the credits do not reach; where a plan is needed it
 * raises the wall with the plans.
 */
export function FeatureButton({ feature, label, snapshot }: FeatureButtonProps): ReactNode {
  const [running, setRunning] = useState(0);
  const say = useToast();
  const planWall = usePlanWall();
  const access = deriveAccess(feature, snapshot, pricing);

  const tell = (result: ConsumeResult): void => {
    if (result.reason === 'plan_required') planWall.raise();
    const { tone, text } = describeConsume(result, costOf(pricing, feature) ?? 0);
    say(tone, text);
  };
  const run = (): void => {
    if (access.kind === 'needs_plan') {
      planWall.raise();
      return;
    }
    setRunning((count) => count + 1);
    send('creditsConsume', { feature })
      .then(tell, () => tell({ ok: false, balance: null, allowance: null, reason: 'unavailable' }))
      .finally(() => setRunning((count) => count - 1));
  };
  return (
    <div className="billing-feature">
      <Button
        wide
        busy={running > 0}
        disabled={access.kind === 'needs_credits'}
        onClick={run}
        data-testid={`run-${feature}`}
      >
        {label}
      </Button>
      <span className="billing-hint">{describeAccess(access)}</span>
    </div>
  );
}
