import type { ToastTone } from '../feedback.tsx';
import { formatCount, formatDay } from '../format/format-date.ts';
import { planNameOf } from '../plans/offer-text.ts';
import { t } from '../text/t.ts';
import type { Happening } from './derive-happening.ts';

/** A happening in a sentence. `now` is in milliseconds since the epoch. */
export function describeHappening(
  happening: Happening,
  now: number,
): { readonly tone: ToastTone; readonly text: string } {
  const done = (text: string) => ({ tone: 'done', text }) as const;
  switch (happening.kind) {
    case 'plan_started':
      return done(t('happenedPlan', planNameOf(happening.plan)));
    case 'lifetime_started':
      return done(t('happenedLifetime'));
    case 'trial_started':
      return done(
        happening.until === null
          ? t('happenedPlan', planNameOf(happening.plan))
          : t('happenedTrial', planNameOf(happening.plan), formatDay(happening.until, now)),
      );
    case 'ending':
      return done(
        happening.on === null ? t('statusEndsSoon') : t('happenedEnding', formatDay(happening.on, now)),
      );
    case 'kept':
      return done(t('happenedKept'));
    case 'payment_failed':
      return { tone: 'refused', text: t('happenedPaymentFailed') };
    case 'payment_mended':
      return done(t('happenedPaymentMended'));
    case 'ended':
      return done(t('happenedEnded'));
    case 'topped_up':
      return done(t('happenedTopUp', formatCount(happening.credits), formatCount(happening.balance)));
    case 'fresh_allowance':
      return done(t('happenedAllowance', formatCount(happening.credits)));
    default:
      return happening satisfies never;
  }
}
