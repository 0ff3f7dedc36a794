import type { BillingState } from '@extension-billing/contract/billing-state';
import { billingStateView } from '../snapshot/views.ts';
import { useMoment } from './use-moment.ts';
import { useSnapshot } from './use-snapshot.ts';

/** One billing-state key (specification, "States and transitions"), or null until the first snapshot is known. */
export function useBillingState(): BillingState | null {
  return billingStateView(useSnapshot(), useMoment());
}
