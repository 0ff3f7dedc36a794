import { isTrial } from '@extension-billing/contract/subscription-status';
import { accessView } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format/format-date.ts';
import { planNameOf } from '../plans/offer-text.ts';
import { t } from '../text/t.ts';
import type { StatusView } from './describe-status.ts';

/**
 * A plan or a trial whose end has come without a word of the server since (docs/decisions/0140-offline-policy.md): until
 * when access goes on, or that it has ended, and what to do. Null where the server's last word still holds, also where
 * that word is a bound which has passed: then no connection helps.
 *
 * @param snapshot as `snapshotAt` shows it
 */
export function describeUnconfirmed(snapshot: EntitlementSnapshot, now: number): StatusView | null {
  const { state, status, plan, currentPeriodEnd, lapsedAt, contactAt } = snapshot;
  const { staleness, accessUntil } = accessView(snapshot, now);
  const isLapsed = lapsedAt !== undefined && contactAt < lapsedAt;
  if (!isLapsed && staleness !== 'unconfirmed') return null;
  const end = currentPeriodEnd !== null && currentPeriodEnd <= now ? formatDay(currentPeriodEnd, now) : null;
  const ended = end === null ? [] : [t(isTrial(status) ? 'statusTrialEnded' : 'statusPeriodEnded', end)];
  const view = { title: planNameOf(plan), portalAction: null };
  if (!isLapsed) {
    const connect =
      accessUntil === null ? t('statusConnectAgain') : t('statusConnectBy', formatDay(accessUntil, now));
    return {
      ...view,
      state,
      badge: { text: t('statusUnconfirmed'), tone: 'warning' },
      lines: [...ended, connect],
    };
  }
  // Its end was announced: no connection brings it back.
  if (snapshot.cancelAtPeriodEnd && end !== null) {
    return { ...view, state: 'free', badge: null, lines: [...ended, t('statusEnded')] };
  }
  return {
    ...view,
    state: 'free',
    badge: { text: t('statusLapsed'), tone: 'danger' },
    lines: [...ended, t('statusConnectAgain')],
  };
}
