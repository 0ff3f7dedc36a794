import { accessView } from '../../snapshot/access.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format/format-date.ts';
import { planNameOf } from '../plans/offer-text.ts';
import { t } from '../text/t.ts';
import type { StatusView } from './describe-status.ts';

/** Statuses that entitle: the server never calls an account with one of them free. */
const ENTITLING: ReadonlySet<string> = new Set(['trialing', 'active', 'past_due']);

/**
 * A plan or a trial whose end has come without a word of the server since (docs/decisions/0140-offline-policy.md): until
 * when access goes on, or that it has ended, and what to do. Null where the server's last word still holds. Takes the
 * snapshot as it is stored, or as `snapshotAt` shows it.
 */
export function describeUnconfirmed(snapshot: EntitlementSnapshot, now: number): StatusView | null {
  const { state, status, plan, currentPeriodEnd } = snapshot;
  const { staleness, accessUntil } = accessView(snapshot, now);
  const isShownAsFree = state === 'free' && plan !== null && status !== null && ENTITLING.has(status);
  const isLapsed = staleness === 'lapsed' || isShownAsFree;
  if (!isLapsed && staleness === 'confirmed') return null;
  const end = currentPeriodEnd !== null && currentPeriodEnd <= now ? formatDay(currentPeriodEnd, now) : null;
  return {
    state: isLapsed ? 'free' : state,
    title: planNameOf(plan),
    badge: {
      text: t(isLapsed ? 'statusLapsed' : 'statusUnconfirmed'),
      tone: isLapsed ? 'danger' : 'warning',
    },
    lines: [
      ...(end === null ? [] : [t(status === 'trialing' ? 'statusTrialEnded' : 'statusPeriodEnded', end)]),
      isLapsed || accessUntil === null
        ? t('statusConnectAgain')
        : t('statusConnectBy', formatDay(accessUntil, now)),
    ],
    portalAction: null,
  };
}
