import type { ReactNode } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatMoment } from '../format/format-date.ts';
import { t } from '../text/t.ts';
import { useOnline } from './use-online.ts';

/** Younger than this a copy needs no date. */
const FRESH_MS = 3 * 60_000;

interface OfflineNoticeProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
}

/** Says that there is no connection, and how old what is shown is. */
export function OfflineNotice({ snapshot, now }: OfflineNoticeProps): ReactNode {
  if (useOnline()) return null;
  const isFresh = now - snapshot.mirroredAt < FRESH_MS;
  return (
    <p className="billing-notice" role="status" data-testid="offline">
      {isFresh ? t('offline') : t('offlineAsOf', formatMoment(snapshot.mirroredAt, now))}
    </p>
  );
}
