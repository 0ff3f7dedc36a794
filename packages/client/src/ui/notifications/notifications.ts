import { type EntitlementSnapshot, haveCreditsCome } from '../../snapshot/snapshot.ts';
import { formatCount, formatDay } from '../format.ts';
import { lifetimeName, nextPlanName, planNameOf } from '../plans/plan-names.ts';
import { t } from '../text/texts.ts';
import type { ToastTone } from './toasts.tsx';

/** What has just happened to an account, where it is worth a word. A spend is not: the feature that spent it has said so. */
export type AccountNotification =
  | { readonly kind: 'plan_started' | 'lifetime_started'; readonly plan: string | null }
  | { readonly kind: 'trial_started'; readonly plan: string | null; readonly until: number | null }
  | { readonly kind: 'ending'; readonly on: number | null }
  | { readonly kind: 'change_planned'; readonly plan: string | null; readonly on: number }
  | { readonly kind: 'kept' | 'payment_failed' | 'payment_mended' | 'ended' }
  | { readonly kind: 'topped_up' | 'fresh_allowance'; readonly credits: number; readonly balance: number };

/** The one thing to say about two snapshots of the same user, one after the other; null when there is none. */
export function deriveNotification(
  before: EntitlementSnapshot,
  after: EntitlementSnapshot,
): AccountNotification | null {
  if (before.uid !== after.uid || after.uid === null) return null;
  return planNotification(before, after) ?? creditNotification(before, after);
}

function planNotification(
  before: EntitlementSnapshot,
  after: EntitlementSnapshot,
): AccountNotification | null {
  const { state, plan, currentPeriodEnd } = after;
  if (after.paid && (!before.paid || before.plan !== plan)) {
    if (state === 'trial') return { kind: 'trial_started', plan, until: currentPeriodEnd };
    return { kind: state === 'lifetime' ? 'lifetime_started' : 'plan_started', plan };
  }
  const planned = after.plannedChange;
  if (planned !== null && planned.plan !== before.plannedChange?.plan) {
    return { kind: 'change_planned', plan: planned.plan, on: planned.at };
  }
  if (before.state === state)
    return before.plannedChange !== null && planned === null ? { kind: 'kept' } : null;
  if (state === 'cancel_pending') return { kind: 'ending', on: currentPeriodEnd };
  if (state === 'past_due') return { kind: 'payment_failed' };
  if (before.paid && !after.paid) return { kind: 'ended' };
  if (before.state === 'past_due') return { kind: 'payment_mended' };
  return before.state === 'cancel_pending' ? { kind: 'kept' } : null;
}

function creditNotification(
  before: EntitlementSnapshot,
  after: EntitlementSnapshot,
): AccountNotification | null {
  const [had, has] = [before.credits, after.credits];
  if (has === null || !haveCreditsCome(had, has)) return null;
  const bought = has.packCredits - (had?.packCredits ?? 0);
  if (bought > 0) return { kind: 'topped_up', credits: bought, balance: has.balance };
  const isFresh = has.allowance > (had?.allowance ?? 0);
  return isFresh ? { kind: 'fresh_allowance', credits: has.allowance, balance: has.balance } : null;
}

/** A notification as a sentence. `now` is in milliseconds since the epoch. */
export function describeNotification(
  notification: AccountNotification,
  now: number,
): { readonly tone: ToastTone; readonly text: string } {
  const done = (text: string) => ({ tone: 'done', text }) as const;
  switch (notification.kind) {
    case 'plan_started':
      return done(t('happenedPlan', planNameOf(notification.plan)));
    case 'lifetime_started':
      return done(t('happenedLifetime', lifetimeName(notification.plan)));
    case 'trial_started':
      return done(
        notification.until === null
          ? t('happenedPlan', planNameOf(notification.plan))
          : t('happenedTrial', planNameOf(notification.plan), formatDay(notification.until, now)),
      );
    case 'ending':
      return done(
        notification.on === null ? t('statusEndsSoon') : t('happenedEnding', formatDay(notification.on, now)),
      );
    case 'change_planned':
      return done(t('statusChanges', nextPlanName(notification.plan), formatDay(notification.on, now)));
    case 'kept':
      return done(t('happenedKept'));
    case 'payment_failed':
      return { tone: 'refused', text: t('happenedPaymentFailed') };
    case 'payment_mended':
      return done(t('happenedPaymentMended'));
    case 'ended':
      return done(t('happenedEnded'));
    case 'topped_up':
      return done(t('happenedTopUp', formatCount(notification.credits), formatCount(notification.balance)));
    case 'fresh_allowance':
      return done(t('happenedAllowance', formatCount(notification.credits)));
    default:
      return notification satisfies never;
  }
}

/** Says what happened between two snapshots of a user, where it is worth a word. */
export function notify(
  before: EntitlementSnapshot,
  after: EntitlementSnapshot,
  say: (tone: ToastTone, text: string) => void,
): void {
  const notification = deriveNotification(before, after);
  if (notification === null) return;
  const { tone, text } = describeNotification(notification, Date.now());
  say(tone, text);
}
