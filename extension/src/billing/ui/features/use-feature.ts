import { costOf, pricing } from '@contract/pricing.ts';
import { useState } from 'react';
import type { ConsumeResult } from '../../messages.ts';
import { send } from '../../send.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useToast } from '../feedback.tsx';
import { usePlanWall } from '../wall/plan-wall-context.tsx';
import { deriveAccess, type FeatureAccess } from './derive-access.ts';
import { describeConsume } from './describe-consume.ts';

export interface FeatureControl {
  /** Whether it may run now, and what it takes; for what to write beside a button. */
  readonly access: FeatureAccess;
  readonly isRunning: boolean;
  /** Pays for one run. True once it is paid for; false where it was refused, and the user was told why. */
  readonly run: () => Promise<boolean>;
}

const NO_WORKER: ConsumeResult = { ok: false, balance: null, allowance: null, reason: 'unavailable' };

/** One feature of the pricing file, without a look: pays for a run and says what it took; raises the plans' wall. */
export function useFeature(feature: string, snapshot: EntitlementSnapshot): FeatureControl {
  const [running, setRunning] = useState(0);
  const say = useToast();
  const planWall = usePlanWall();
  const access = deriveAccess(feature, snapshot, pricing);

  async function run(): Promise<boolean> {
    if (access.kind === 'needs_plan') {
      planWall.raise();
      return false;
    }
    setRunning((count) => count + 1);
    const result = await send('creditsConsume', { feature }).catch(() => NO_WORKER);
    setRunning((count) => count - 1);
    if (result.reason === 'plan_required') planWall.raise();
    const { tone, text } = describeConsume(result, costOf(pricing, feature) ?? 0);
    say(tone, text);
    return result.ok;
  }
  return { access, isRunning: running > 0, run };
}
