import { type AccessView, accessView } from '../snapshot/access.ts';
import { useMoment } from './use-moment.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Whether what was paid for may be used now, and how sure that is without a word of the server. */
export function useAccess(): AccessView {
  return accessView(useSnapshot(), useMoment().now);
}
