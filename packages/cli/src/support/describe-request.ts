import type { RequestEntry } from '../../../../functions/src/domain/ledger.ts';
import { describeTime } from './describe-time.ts';

/** What a feature's request recorded, in a few words. */
export function describeRequest(entry: RequestEntry): string {
  switch (entry.kind) {
    case 'consume':
      return `${entry.feature}, ${entry.outcome}`;
    case 'reserve':
      return entry.outcome === 'exhausted'
        ? `${entry.feature}, exhausted`
        : `${entry.feature}, ${entry.cost} held until ${describeTime(entry.expiresAt)}`;
    case 'confirm':
      return entry.shortfall === undefined
        ? `${entry.feature}, confirmed`
        : `${entry.feature}, confirmed, ${entry.shortfall} short`;
    case 'release':
      return `${entry.feature}, released`;
    case 'expiry':
      return `${entry.feature}, settled too late`;
    default:
      return entry satisfies never;
  }
}
