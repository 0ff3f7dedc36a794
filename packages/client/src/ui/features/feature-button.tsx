import { type ReactNode, useState } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { createHeldPresses, createPresses, isUnsettled } from './consume-presses.ts';
import { deriveAccess, describeAccess, type FeatureAccess } from './feature-access.ts';
import './features.css';
import { costOf } from '@extension-billing/contract/features';
import type { CreditWork } from '../../credit-work.ts';
import { givenCatalog } from '../../given-catalog.ts';
import type { ConsumeResult } from '../../messages.ts';
import { oneAtATime } from '../../promises.ts';
import type { FeatureKey } from '../../register.ts';
import { withCredits } from '../../send.ts';
import { textOfNoFile } from '../notifications/say-refusal.ts';
import { type Toast, useToast } from '../notifications/toasts.tsx';
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
 * Runs a feature and says what it took. If it needs a plan, a press raises the wall with those that have it; if the
 * credits are too few, the service refuses it with a 402, which raises the top-up wall.
 */
export function FeatureButton(props: FeatureButtonProps): ReactNode {
  const { feature, label, snapshot, onPaid, onPress } = props;
  const control = useFeature(feature, snapshot);
  const { access, isRunning } = control;
  return (
    <div className="billing-feature">
      <Button
        wide
        busy={isRunning}
        onClick={() => void (onPress?.(control) ?? payThen(control, onPaid))}
        data-testid={`run-${feature}`}
      >
        {label}
      </Button>
      <span className="billing-hint">{describeAccess(access)}</span>
    </div>
  );
}

/** Pays for one run, and goes on only if it is paid. */
export async function payThen({ run }: Pick<FeatureControl, 'run'>, onPaid?: () => void): Promise<void> {
  if (await run()) onPaid?.();
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

/** One feature of the catalogue, without a look: pays for a run and says what it took; raises the wall that it meets. */
export function useFeature(feature: FeatureKey, snapshot: EntitlementSnapshot): FeatureControl {
  const [isRunning, setIsRunning] = useState(false);
  const [alone] = useState(oneAtATime);
  const [consume] = useState(createPresses);
  const [consumeHeld] = useState(createHeldPresses);
  const say = useToast();
  const planWall = usePlanWall();
  const access = deriveAccess(feature, snapshot, givenCatalog);

  async function pay<Result>(how: () => Promise<Result>): Promise<Result | null> {
    if (access.kind === 'needs_plan' || access.kind === 'not_sold') {
      if (access.kind === 'not_sold' || !planWall.raise(feature)) say('refused', describeAccess(access));
      return null;
    }
    return alone(() => {
      setIsRunning(true);
      return how().finally(() => setIsRunning(false));
    });
  }
  function report(result: ConsumeResult): void {
    if (!result.ok && result.reason === 'plan_required') planWall.raise(feature);
    const isCeiling = !result.ok && result.reason === 'free_ceiling_reached';
    if (isCeiling && planWall.raiseFreeCeiling(snapshot)) return;
    tell(({ describeConsume }) => describeConsume(result, costOf(givenCatalog, feature) ?? 0));
  }
  function tell(describe: (texts: typeof import('./describe-consume.ts')) => Omit<Toast, 'id'>): void {
    import('./describe-consume.ts').then(
      (texts) => {
        const { tone, text } = describe(texts);
        say(tone, text);
      },
      () => say('refused', textOfNoFile()),
    );
  }

  async function run(): Promise<boolean> {
    if (givenCatalog.features[feature]?.hold !== undefined) {
      // What is held is not consumed: no backend measures here, so all of it is taken.
      const done = await payWork(() => consumeHeld(feature));
      return done?.ok === true && done.charged;
    }
    const result = await pay(() => consume(feature));
    if (result !== null) report(result);
    return result?.ok ?? false;
  }
  const runWork: FeatureControl['runWork'] = (work) => payWork(() => withCredits(feature, work));
  async function payWork<Value>(how: () => Promise<CreditWork<Value>>): Promise<CreditWork<Value> | null> {
    const done = await pay(how);
    if (done === null) return null;
    if (isUnsettled(done)) tell(({ describeUnsettled }) => ({ tone: 'done', text: describeUnsettled() }));
    else report(outcomeOf(done));
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
