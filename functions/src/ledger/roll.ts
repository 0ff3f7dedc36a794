import type { Millis } from '@extension-billing/contract/customer';
import {
  isRefusal,
  isRollable,
  type LedgerEntry,
  type RollableEntry,
  sumOf,
} from '@extension-billing/contract/ledger';
import type { Pages, RolledEntry } from '@extension-billing/contract/ledger-pages';
import { MIN_LEDGER_DAYS } from '@extension-billing/contract/usage';

// Which entries of a ledger are rolled into pages, and into which: decided without I/O.

const DAY: Millis = 24 * 60 * 60 * 1000;

/** Entries from before this may be rolled; null where the owner keeps all for ever (`days` is 0). */
export function rollBefore(now: Millis, days: number): Millis | null {
  return days === 0 ? null : now - Math.max(days, MIN_LEDGER_DAYS) * DAY;
}

/** Where an entry stands in a ledger: entries that were written together share their time, and their ids part them. */
export interface Place {
  readonly at: Millis;
  readonly id: string;
}

/** What was found in a ledger. */
export interface FoundEntry extends Place {
  /** Null where it is not this service's, or says more than this build would write again: that stays as it is. */
  readonly entry: LedgerEntry | null;
}

export interface Roll {
  /** Goes into pages, with its deltas into the entry that stands for them. */
  readonly rolled: readonly RollableEntry[];
  /** Goes, and is kept nowhere: refusals, which moved nothing and are replayed for a week. */
  readonly dropped: readonly string[];
  /** How many stay for good, up to the first that has to wait; whatever is before that is done. */
  readonly stays: number;
  /** How many of these are behind all that is rolled. */
  readonly behind: number;
  /** When the first is from that has to wait; null where none has to. */
  readonly waitsFrom: Millis | null;
}

/** The ids of the ends that have to be known before these entries are rolled. */
export function endsAskedFor(found: readonly FoundEntry[]): readonly string[] {
  const here = new Set(found.map(({ id }) => id));
  return found.flatMap(({ entry }) => {
    const end = entry?.kind === 'reserve' && !isRefusal(entry) ? endIdOf(entry.id) : null;
    return end === null || here.has(end) ? [] : [end];
  });
}

/**
 * What becomes of old entries, oldest first as they were found. A reserve and its end go together, or wait for each other:
 * under a key that is new again an old end would be answered, and what is held then never taken.
 *
 * @param ends of those that `endsAskedFor` named, the ones that there are
 * @param before entries from then on are too young, also where they are the end of an old reserve
 */
export function decideRoll(found: readonly FoundEntry[], ends: readonly FoundEntry[], before: Millis): Roll {
  const known = new Map([...found, ...ends].map((each) => [each.id, each]));
  const asked = new Set(ends.map(({ id }) => id));
  const waits = new Set(found.filter((each) => mustWait(each, known, before)).map(({ id }) => id));
  const rolled: RollableEntry[] = [];
  const dropped: string[] = [];
  let [stays, behind] = [0, 0];
  let waitsFrom: Millis | null = null;
  for (const { at, id, entry } of found) {
    if (waits.has(id) || waits.has(reserveIdOf(id))) {
      waitsFrom ??= at;
      continue;
    }
    const isOld = entry !== null && at < before && isRollable(entry);
    if (isOld && isRefusal(entry) && entry.deltaAllowance === 0 && entry.deltaPack === 0) {
      dropped.push(id);
      continue;
    }
    const end = entry?.kind === 'reserve' ? known.get(endIdOf(id)) : undefined;
    // An end that is not ours stays, and so does what it ended.
    if (!isOld || end?.entry === null) {
      if (waitsFrom === null) [stays, behind] = [stays + 1, behind + 1];
      continue;
    }
    rolled.push(entry);
    behind = 0;
    if (end?.entry !== undefined && asked.has(end.id) && isRollable(end.entry)) rolled.push(end.entry);
  }
  return { rolled, dropped, stays, behind, waitsFrom };
}

/** A reserve of what may be held still, or whose end is too young. */
function mustWait(
  { at, id, entry }: FoundEntry,
  known: ReadonlyMap<string, FoundEntry>,
  before: Millis,
): boolean {
  if (entry?.kind !== 'reserve' || at >= before) return false;
  const end = known.get(endIdOf(id));
  return (!isRefusal(entry) && entry.expiresAt >= before) || (end !== undefined && end.at >= before);
}

function endIdOf(reserveId: string): string {
  return reserveId.replace(/^reserve_/, 'settle_');
}

function reserveIdOf(endId: string): string {
  return endId.replace(/^settle_/, 'reserve_');
}

/** Entries in the order in which pages have them. */
export function inOrder(entries: readonly RollableEntry[]): readonly RollableEntry[] {
  return entries.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/** What a look at a ledger changes of the entry that stands for the rolled ones. */
export interface RolledChange {
  readonly rolled: readonly RollableEntry[];
  /** Where they and those that were rolled before are now. */
  readonly open: RolledEntry['open'];
  readonly pages: Pages | undefined;
  /** Nothing older is left to be done; null where that is so of what is older than the newest rolled one. */
  readonly through: Millis | null;
}

/** The entry that stands for the rolled ones, with those that come to it. */
export function rollInto(
  before: RolledEntry | null,
  { rolled, open, pages, through }: RolledChange,
): RolledEntry {
  const moved = sumOf(rolled);
  return {
    deltaAllowance: (before?.deltaAllowance ?? 0) + moved.allowance,
    deltaPack: (before?.deltaPack ?? 0) + moved.packs,
    open,
    ...(through !== null && { through }),
    ...(pages !== undefined && { pages }),
  };
}

/** The pages of a ledger with some that are written: added behind them, or in the place of the last. */
export function pagesWith(
  before: Pages | undefined,
  first: number,
  written: readonly (readonly RollableEntry[])[],
  added: number,
): Pages {
  const times = written.map((entries) => entries.map(({ createdAt }) => createdAt));
  return {
    count: (before?.count ?? 0) + added,
    from: [
      ...(before?.from ?? []).slice(0, first - 1),
      ...times.map((each) => each.reduce((a, b) => Math.min(a, b))),
    ],
    to: [
      ...(before?.to ?? []).slice(0, first - 1),
      ...times.map((each) => each.reduce((a, b) => Math.max(a, b))),
    ],
  };
}
