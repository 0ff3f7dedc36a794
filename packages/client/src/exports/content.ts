/** For whatever only reads: pages without React, and content scripts, which may not send billing messages. */
export { wasReplaced } from '../send.ts';
export {
  type AccessView,
  accessView,
  billingStateView,
  type Moment,
  type Staleness,
  snapshotAt,
} from '../snapshot/access.ts';
export { createSnapshotStore, type SnapshotStore, snapshotStore } from '../snapshot/read.ts';
export { type EntitlementSnapshot, SNAPSHOT_KEY, type SnapshotCredits } from '../snapshot/snapshot.ts';
export { type CreditsView, creditsView, type EntitlementView, entitlementView } from '../snapshot/views.ts';
