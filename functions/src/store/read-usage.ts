import type { Millis } from '@extension-billing/contract/customer';
import type { LedgerKind, UsageEntry } from '@extension-billing/contract/usage';
import { type DocumentData, FieldPath, type Firestore, Timestamp } from 'firebase-admin/firestore';
import type { Uid } from '../domain/uid.ts';
import type { UsageRange } from '../domain/usage.ts';
import { paths } from './paths.ts';

/** Where a page ended: entries that were written together share their instant, and their ids part them. */
export interface UsagePlace {
  readonly createdAt: Millis;
  readonly id: string;
}
export interface UsagePage {
  readonly entries: readonly UsageEntry[];
  /** Where the next page starts; null when there is none. */
  readonly next: UsagePlace | null;
}

/**
 * One page of a user's ledger, newest first: one query, of one document more than it answers. It needs no index
 * of its own: the range and both orders are on one field and the id.
 */
export async function readUsage(
  firestore: Firestore,
  uid: Uid,
  { from, to }: UsageRange,
  limit: number,
  after: UsagePlace | null,
): Promise<UsagePage> {
  const query = paths
    .ledger(firestore, uid)
    .where('createdAt', '>=', Timestamp.fromMillis(from))
    .where('createdAt', '<', Timestamp.fromMillis(to))
    .orderBy('createdAt', 'desc')
    .orderBy(FieldPath.documentId(), 'desc')
    .limit(limit + 1);
  const page = after === null ? query : query.startAfter(Timestamp.fromMillis(after.createdAt), after.id);
  const { docs } = await page.get();
  const entries = docs.slice(0, limit).map((entry) => toUsageEntry(entry.id, entry.data()));
  const last = docs.length > limit ? entries.at(-1) : undefined;
  return { entries, next: last === undefined ? null : { createdAt: last.createdAt, id: last.id } };
}

function toUsageEntry(id: string, data: DocumentData): UsageEntry {
  const { kind, feature, outcome, createdAt } = data;
  return {
    id,
    kind: kind as LedgerKind,
    feature: typeof feature === 'string' ? feature : null,
    outcome: outcome === 'exhausted' || outcome === 'granted' ? outcome : null,
    deltaAllowance: credits(data.deltaAllowance),
    deltaPack: credits(data.deltaPack),
    balance: credits(data.allowance) + credits(data.packCredits),
    createdAt: createdAt instanceof Timestamp ? createdAt.toMillis() : 0,
  };
}

function credits(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
