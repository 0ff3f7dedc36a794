import { isSame } from './judge.ts';
import type { PageEntry, ShownEntry, State, StoredEntry } from './service.ts';

// What a compaction may do to what is stored: written from docs/decisions/ledger.md alone, without the service's code.

const DAY = 86_400_000;
/** What is promised of keys. */
const KEPT_FOR = 35 * DAY;
/** By as much instances' clocks are off. */
const CLOCKS = 400;
/** What a request or the clock wrote. */
const ROLLED_KINDS = new Set(['consume', 'reserve', 'confirm', 'release', 'expiry', 'period']);
const ROLLED = 'rolled';

export interface Stored {
  readonly state: State;
  readonly pages: readonly PageEntry[];
}

/** The entries that went, by id. */
export function goneFrom(before: State['ledger'], after: State['ledger']): ReadonlyMap<string, StoredEntry> {
  return new Map([...before].filter(([id]) => id !== ROLLED && !after.has(id)));
}

/** What is wrong with what a compaction left, in sentences; empty when it is as it must be. */
export function compactionFaults(before: Stored, after: Stored, now: number): string[] {
  const faults: string[] = [];
  const gone = goneFrom(before.state.ledger, after.state.ledger);
  const added = unmatched(after.pages, before.pages);
  for (const { id, page } of unmatched(before.pages, after.pages)) faults.push(`page ${page} has lost ${id}`);
  for (const [id, entry] of gone) {
    if (!ROLLED_KINDS.has(entry.kind)) faults.push(`${id} was rolled, which is a ${entry.kind}`);
    if ((entry.createdAt ?? now) > now - KEPT_FOR + CLOCKS) faults.push(`${id} was rolled before its time`);
    const copies = added.filter((each) => each.id === id && isSame(entry, each.entry)).length;
    const due = entry.outcome === 'exhausted' ? 0 : 1;
    if (copies !== due) faults.push(`${id} is in the pages ${copies} times, not ${due}`);
    faults.push(...halfFaults(id, entry, after.state, now));
  }
  for (const { id, page } of added)
    if (!gone.has(id)) faults.push(`page ${page} has ${id}, which never went`);
  for (const [id, entry] of after.state.ledger) {
    const known = before.state.ledger.get(id);
    if (id !== ROLLED && (known === undefined || !isSame(known, entry))) faults.push(`${id} was changed`);
  }
  return [...faults, ...standingFaults(after)];
}

/** A reserve and its end go together, and none that is open goes. */
function halfFaults(id: string, { outcome }: StoredEntry, { ledger, record }: State, now: number): string[] {
  const [, kind, key = ''] = /^(reserve|settle)_(.*)$/.exec(id) ?? [];
  if (kind === undefined || outcome === 'exhausted') return [];
  const other = `${kind === 'reserve' ? 'settle' : 'reserve'}_${key}`;
  const hold = record?.holds.get(key);
  return [
    ...(ledger.has(other) ? [`${id} was rolled without ${other}`] : []),
    ...(kind === 'reserve' && hold !== undefined && hold.expiresAt > now
      ? [`${id} was rolled while it holds`]
      : []),
  ];
}

/** The entry that stands for the pages moved what they moved, and is at no time. */
function standingFaults({ state: { ledger }, pages }: Stored): string[] {
  const rolled = ledger.get(ROLLED);
  const sum = (field: 'deltaAllowance' | 'deltaPack') =>
    pages.reduce((total, { entry }) => total + entry[field], 0);
  const due = `${sum('deltaAllowance')} and ${sum('deltaPack')}`;
  const found = `${rolled?.deltaAllowance ?? 0} and ${rolled?.deltaPack ?? 0}`;
  return [
    ...(found === due ? [] : [`the pages moved ${due}, and what stands for them ${found}`]),
    ...(rolled?.createdAt === undefined ? [] : ['what stands for the pages has a time']),
  ];
}

function unmatched(of: readonly PageEntry[], among: readonly PageEntry[]): readonly PageEntry[] {
  const left = [...among];
  return of.filter((one) => {
    const at = left.findIndex((each) => each.id === one.id && isSame(each.entry, one.entry));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

/** What the service shows of a ledger is all of it, whether in pages or not, each entry once, newest first. */
export function usageFaults({ state, pages }: Stored, shown: readonly ShownEntry[]): string[] {
  const placed = [...state.ledger].filter(([, { createdAt }]) => createdAt !== undefined);
  const due = [...placed.map(([id, entry]) => ({ id, entry })), ...pages].map(({ id, entry }) =>
    lineOf({ ...entry, id }),
  );
  const found = shown.map(lineOf);
  const faults: string[] = [];
  for (const line of due) if (!found.includes(line)) faults.push(`usage does not show ${line}`);
  if (found.length !== due.length) faults.push(`usage shows ${found.length} entries, not ${due.length}`);
  const times = shown.map(({ createdAt }) => createdAt);
  if (times.some((at, index) => at > (times[index - 1] ?? at))) faults.push('usage is not newest first');
  return faults;
}

function lineOf(entry: {
  readonly id: string;
  readonly createdAt?: number | undefined;
  readonly deltaAllowance: number;
  readonly deltaPack: number;
}): string {
  return `${entry.id} of ${entry.createdAt} (${entry.deltaAllowance}, ${entry.deltaPack})`;
}
