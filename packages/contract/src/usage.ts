import type { Millis } from './customer.ts';
import type { Receipt } from './measured.ts';

/** What can move, or hold, a balance. A ledger may hold kinds that a newer service wrote. */
export const LEDGER_KINDS = [
  'consume',
  'reserve',
  'confirm',
  'release',
  'expiry',
  'grant',
  'allowance',
  'drop',
  'clawback',
  'restore',
  'correction',
  'opening',
  'period',
] as const;
export type LedgerKind = (typeof LEDGER_KINDS)[number];

/** One ledger entry, as GET /credits/usage shows it. Whole credits; a spend is negative. */
export interface UsageEntry {
  readonly id: string;
  readonly kind: LedgerKind;
  /** The feature that spent, or held; null for what an event caused. */
  readonly feature: string | null;
  /** `exhausted`: refused, nothing moved. */
  readonly outcome: 'granted' | 'exhausted' | null;
  readonly deltaAllowance: number;
  readonly deltaPack: number;
  /** The whole balance after it, with what was held at the time. */
  readonly balance: number;
  readonly createdAt: Millis;
  /** What a backend measured when it settled; absent where none did. */
  readonly receipt?: Receipt;
}

/** What one feature spent in one day, among the entries of one page. */
export interface UsageTotal {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly feature: string;
  /** Credits spent: a positive number. */
  readonly credits: number;
  /** Spends, without those that were refused. */
  readonly count: number;
}

export interface UsageResponse {
  /** Newest first. */
  readonly entries: readonly UsageEntry[];
  /** Of this page's entries, newest day first: a day may go on in the next page, so add them up. */
  readonly totals: readonly UsageTotal[];
  /** The `cursor` of the next page; null when this is the last. */
  readonly next: string | null;
}
