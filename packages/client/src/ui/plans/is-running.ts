import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';

/** Statuses of a subscription that bills again, or would once it is paid for. */
const RUNNING: ReadonlySet<string> = new Set(['trialing', 'active', 'past_due', 'unpaid', 'paused']);

/** Whether a subscription is there that stands in the way of another one. */
export function isRunning({ status }: Pick<EntitlementSnapshot, 'status'>): boolean {
  return status !== null && RUNNING.has(status);
}
