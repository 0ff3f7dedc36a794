import { useMemo } from 'react';
import { type EntitlementView, entitlementView } from '../snapshot/views.ts';
import { useMoment } from './use-moment.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The entitlements that the service knows (specification, "Client UI hooks"). */
export type Entitlement = 'paid';

/** Whether the signed-in user has the entitlement, also after a while offline (useAccess says how long). Never a flash of "not entitled": `loading` until it is known. */
export function useEntitlement(_entitlement: Entitlement): EntitlementView {
  const { entitled, loading } = entitlementView(useSnapshot(), useMoment());
  return useMemo(() => ({ entitled, loading }), [entitled, loading]);
}
