import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatCount } from '../format/format-date.ts';
import { t, tCount } from '../text/t.ts';

/** What goes with an account, so that nobody deletes more than they meant to. Never empty. */
export function describeLoss({ state, credits }: EntitlementSnapshot): readonly string[] {
  const balance = credits?.balance ?? 0;
  return [
    ...(state === 'free' ? [] : [t(state === 'lifetime' ? 'lossLifetime' : 'lossPlan')]),
    ...(balance > 0 ? [tCount(balance, 'lossCredits', formatCount(balance))] : []),
    t('lossAccess'),
  ];
}
