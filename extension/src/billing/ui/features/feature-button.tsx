import { costOf, pricing } from '@contract/pricing.ts';
import { type ReactNode, useState } from 'react';
import { send } from '../../send.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { useToast } from '../feedback.tsx';
import { formatCount } from '../format/format-date.ts';
import { tCount } from '../text/t.ts';
import { describeConsume } from './describe-consume.ts';
import './features.css';

interface FeatureButtonProps {
  /** The feature's name in the pricing file. */
  readonly feature: string;
  readonly label: string;
  readonly snapshot: EntitlementSnapshot;
}

/** Runs a feature that costs credits, and says what it cost. Off, with the reason, when the credits do not reach. */
export function FeatureButton({ feature, label, snapshot }: FeatureButtonProps): ReactNode {
  const [running, setRunning] = useState(0);
  const say = useToast();
  const cost = costOf(pricing, feature) ?? 0;
  const balance = snapshot.credits?.balance ?? null;
  const isOff = balance !== null && balance < cost;

  const run = (): void => {
    setRunning((count) => count + 1);
    send('creditsConsume', { feature })
      .then(
        (result) => describeConsume(result, cost),
        () => describeConsume({ ok: false, balance, allowance: null, reason: 'unavailable' }, cost),
      )
      .then(({ tone, text }) => say(tone, text))
      .finally(() => setRunning((count) => count - 1));
  };
  const price = formatCount(cost);
  return (
    <div className="billing-feature">
      <Button wide busy={running > 0} disabled={isOff} onClick={run} data-testid={`run-${feature}`}>
        {label}
      </Button>
      <span className="billing-hint">
        {isOff
          ? tCount(cost, 'featureOffOne', 'featureOff', price)
          : tCount(cost, 'featureCostOne', 'featureCost', price)}
      </span>
    </div>
  );
}
