import { type ReactNode, useState } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { deriveAccess, describeAccess, type FeatureAccess } from './feature-access.ts';
import './features.css';
import { costOf } from '@extension-billing/contract/features';
import type { CreditWork } from '../../credit-work.ts';
import { givenCatalog } from '../../given-catalog.ts';
import type { ConsumeResult } from '../../messages.ts';
import { oneAtATime } from '../../promises.ts';
import type { FeatureKey } from '../../register.ts';
import { send, withCredits } from '../../send.ts';
import { textOfNoFile } from '../notifications/say-refusal.ts';
import { useToast } from '../notifications/toasts.tsx';
import { usePlanWall } from '../wall/wall-state.tsx';

interface FeatureButtonProps {
  /** The feature's name in the catalogue. */
  readonly feature: FeatureKey;
  readonly label: ReactNode;
  readonly snapshot: EntitlementSnapshot;
  /** Does what the user pays for; called once it is paid. */
  readonly onPaid?: () => void;
  /** Instead: pays by itself, such as around work that may fail (`control.runWork`). */
  readonly onPress?: (control: FeatureControl) => Promise<void>;
}

/**
 * Runs a feature and says what it took. Off, with the reason, when the credits do not reach; where a plan is needed it
 * raises the wall with the plans.
 */
export function FeatureButton(props: FeatureButtonProps): ReactNode {
  const { feature, label, snapshot, onPaid, onPress } = props;
  const control = useFeature(feature, snapshot);
  const { access, isRunning, run } = control;
  return (
    <div className="billing-feature">
      <Button
        wide
        busy={isRunning}
        disabled={access.kind === 'needs_credits'}
        onClick={() => void (onPress?.(control) ?? run().then((isPaid) => isPaid && onPaid?.()))}
        data-testid={`run-${feature}`}
      >
        {label}
      </Button>
      <span className="billing-hint">{describeAccess(access)}</span>
    </div>
  );
}

/** A feature that costs credits, without a look. */
export interface FeatureControl {
  /** Whether it may run now, and what it takes; for what to write beside a button. */
  readonly access: FeatureAccess;
  readonly isRunning: boolean;
  /**
   * Pays for one run. True once it is paid for; false where it was refused, and a toast said why. One run at a
   * time: while one is under way another is not started and answers false, so that a double click pays once.
   */
  readonly run: () => Promise<boolean>;
  /**
   * As `run`, around work that may fail: holds the cost, does the work, takes the cost (`withCredits`). Null where a run
   * is under way already or a plan is needed first. Throws what the work throws, and then nothing was paid. The user
   * sees in a toast what it took, or why it was refused.
   */
  readonly runWork: <Value>(work: () => Value | Promise<Value>) => Promise<CreditWork<Value> | null>;
}

const NO_WORKER = { ok: false, balance: null, allowance: null, reason: 'unavailable' } as const;

/** One feature of the catalogue, without a look: pays for a run and says what it took; raises the wall that it meets. */
export function useFeature(feature: FeatureKey, snapshot: EntitlementSnapshot): FeatureControl {
  const [isRunning, setIsRunning] = useState(false);
  const [alone] = useState(oneAtATime);
  const say = useToast();
  const planWall = usePlanWall();
  const access = deriveAccess(feature, snapshot, givenCatalog);

  async function pay<Result>(how: () => Promise<Result>): Promise<Result | null> {
    if (access.kind === 'needs_plan') {
      // Who has a plan sees no wall: a larger one is chosen where plans are.
      if (snapshot.paid || !planWall.raise()) say('refused', describeAccess(access));
      return null;
    }
    return alone(() => {
      setIsRunning(true);
      return how().finally(() => setIsRunning(false));
    });
  }
  function report(result: ConsumeResult): void {
    if (!result.ok && result.reason === 'plan_required') planWall.raise();
    const isCeiling = !result.ok && result.reason === 'free_ceiling_reached';
    if (isCeiling && planWall.raiseFreeCeiling(snapshot)) return;
    import('./describe-consume.ts').then(
      ({ describeConsume }) => {
        const { tone, text } = describeConsume(result, costOf(givenCatalog, feature) ?? 0);
        say(tone, text);
      },
      () => say('refused', textOfNoFile()),
    );
  }

  async function run(): Promise<boolean> {
    if (givenCatalog.features[feature]?.hold !== undefined) {
      // What is held is not consumed: no backend measures here, so all of it is taken.
      const done = await runWork(() => {});
      return done?.ok === true && done.charged;
    }
    const result = await pay(() => send('creditsConsume', { feature }).catch(() => NO_WORKER));
    if (result !== null) report(result);
    return result?.ok ?? false;
  }
  async function runWork<Value>(work: () => Value | Promise<Value>): Promise<CreditWork<Value> | null> {
    const done = await pay(() => withCredits(feature, work));
    if (done !== null) report(outcomeOf(done));
    return done;
  }
  return { access, isRunning, run, runWork };
}

/** What became of the credits around some work, as of a consume; work that could not be charged took none. */
function outcomeOf(done: CreditWork<unknown>): ConsumeResult {
  if (done.ok) {
    const { balance = null, allowance = null } = (done.charged ? done.settled : null) ?? {};
    return { ok: true, balance, allowance };
  }
  const { balance, allowance, reason } = done;
  return {
    ok: false,
    balance,
    allowance,
    reason: reason === 'too_many_reservations' ? 'unavailable' : reason,
  };
}
