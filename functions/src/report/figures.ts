import type { Millis } from '@extension-billing/contract/customer';
import { type Figure, type Figures, NOTHING } from '@extension-billing/contract/days';
import type { AnyEntry } from '@extension-billing/contract/ledger';
import { DAY, dayOf } from '@extension-billing/contract/time';

export function startOf(day: string): Millis {
  return Date.parse(day);
}

/** Every day that has a part in a range, oldest first. */
export function daysOf({ from, to }: { readonly from: Millis; readonly to: Millis }): readonly string[] {
  const days: string[] = [];
  for (let at = Math.floor(from / DAY) * DAY; at < to; at += DAY) days.push(dayOf(at));
  return days;
}

export function add(to: Figures, more: Partial<Figures>): Figures {
  const sums = (Object.keys(NOTHING) as Figure[]).map((figure) => [figure, to[figure] + (more[figure] ?? 0)]);
  return Object.fromEntries(sums) as unknown as Figures;
}

/** By how much the credits of all accounts changed: what the ledger's deltas add up to. */
export function netOf(figures: Figures): number {
  const { grantedAllowance, grantedPacks, givenByHand, adjusted, spent, clawedBack, expired } = figures;
  return grantedAllowance + grantedPacks + givenByHand + adjusted - spent - clawedBack - expired;
}

/** What a report needs of a ledger entry. */
export type ReportedEntry = Pick<
  AnyEntry,
  | 'kind'
  | 'feature'
  | 'cost'
  | 'outcome'
  | 'deltaAllowance'
  | 'deltaPack'
  | 'allowance'
  | 'createdAt'
  | 'granted'
  | 'byHand'
>;

/** Figures of one moment. */
export interface DatedFigures {
  readonly at: Millis;
  readonly figures: Partial<Figures>;
}

/**
 * What one ledger entry adds. Whatever its kind, the figures move the net by just its deltas (`netOf`), so a report
 * adds up to the ledger also where a newer service has written kinds that are not known here.
 */
export function datedFigures(entry: ReportedEntry): DatedFigures {
  return { at: entry.createdAt, figures: figuresOf(entry) };
}

function figuresOf(entry: ReportedEntry): Partial<Figures> {
  const { kind, cost, outcome, deltaAllowance, deltaPack, allowance, granted, byHand } = entry;
  if (byHand && (kind === 'grant' || kind === 'clawback')) {
    return { givenByHand: deltaPack, adjusted: deltaAllowance };
  }
  const isRefused = outcome === 'exhausted';
  switch (kind) {
    case 'consume':
    case 'confirm':
      return isRefused ? { refused: 1 } : { spends: 1, spent: less(deltaAllowance + deltaPack) };
    case 'reserve':
      return isRefused ? { refused: 1 } : { held: cost };
    case 'expiry':
      return { lapsed: cost };
    case 'release':
      return {};
    case 'grant':
      return { packs: 1, grantedPacks: deltaPack, adjusted: deltaAllowance };
    case 'allowance':
      // Replaced, never stacked: what was left of the one before it expires in the same entry.
      return { grantedAllowance: allowance, expired: allowance - deltaAllowance, adjusted: deltaPack };
    case 'drop':
      return { expired: less(deltaAllowance), adjusted: deltaPack };
    case 'period':
      return { grantedAllowance: granted, expired: granted - deltaAllowance - deltaPack };
    case 'clawback':
      return { clawedBack: less(deltaPack), adjusted: deltaAllowance };
    case 'restore':
    case 'correction':
    case 'opening':
      return { adjusted: deltaAllowance + deltaPack };
    default:
      kind satisfies never;
      return { adjusted: deltaAllowance + deltaPack };
  }
}

/** The other way round, and never -0. */
function less(delta: number): number {
  return 0 - delta;
}
