import { useEffect, useRef } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useToast } from '../feedback.tsx';

/** Says in a toast what has just happened to the account, wherever it happened: a purchase, a top-up, a cancellation. */
export function useHappenings(snapshot: EntitlementSnapshot | null): void {
  const say = useToast();
  const last = useRef<EntitlementSnapshot | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = snapshot;
    if (before === null || snapshot === null || before.updatedAt === snapshot.updatedAt) return;
    import('./tell-happening.ts').then(({ tellHappening }) => tellHappening(before, snapshot, say));
  }, [snapshot, say]);
}
