import { useMemo } from 'react';
import { type CreditsView, creditsView } from '../snapshot/views.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The credit balance; all three null when credits are not in use on the account, and while loading. */
export function useCredits(): CreditsView {
  const snapshot = useSnapshot();
  return useMemo(() => creditsView(snapshot), [snapshot]);
}
