import type { Expected } from './oracle.ts';
import type { State, StoredEntry, StoredRecord } from './service.ts';

const NOTHING_YET: Expected = {
  paid: false,
  plan: null,
  planKind: null,
  entitlements: [],
  entitlementsUntil: [],
  status: null,
  cancelAtPeriodEnd: false,
  currentPeriodEnd: null,
  entitledUntil: null,
  trialUsed: false,
  renewal: null,
  plannedChange: null,
  credits: null,
};

/** What is wrong with a stored state, in sentences; empty when it is as it must be. */
export function faultsOf(state: State, expected: Expected, owed = NOTHING_OWED): string[] {
  return [...differences(state.record, expected), ...bookkeeping(state, owed)];
}

function differences(record: StoredRecord | null, expected: Expected): string[] {
  const found = record === null ? NOTHING_YET : asExpected(record);
  const fields = Object.keys(expected) as readonly (keyof Expected)[];
  return fields
    .filter((field) => JSON.stringify(found[field]) !== JSON.stringify(expected[field]))
    .map((field) => `${field} is ${JSON.stringify(found[field])}, not ${JSON.stringify(expected[field])}`);
}

function asExpected(record: StoredRecord): Expected {
  const { paid, plan, planKind, status, cancelAtPeriodEnd, currentPeriodEnd, trialUsed } = record;
  const { entitledUntil, entitlements, entitlementsUntil, renewal, plannedChange } = record;
  const allowance = record.creditsAllowance;
  const packs = record.packCreditsRemaining;
  const credits = allowance === undefined || packs === undefined ? null : { allowance, packs };
  const shown = { plan, planKind, status, cancelAtPeriodEnd, currentPeriodEnd };
  const rights = { ...shown, paid, entitledUntil, entitlements, entitlementsUntil };
  return { ...rights, trialUsed, renewal, plannedChange, credits };
}

const NOTHING_OWED = { allowance: 0, packs: 0 };

/**
 * What must hold of every state, whatever happened before it.
 *
 * @param owed what the ledger still lacks, of an import that no event has opened yet
 */
export function bookkeeping({ record, ledger }: State, owed = NOTHING_OWED): string[] {
  const faults: string[] = [];
  let { allowance, packs } = owed;
  for (const [id, entry] of ledger) {
    allowance += entry.deltaAllowance;
    packs += entry.deltaPack;
    if (entry.allowance < 0 || entry.packCredits < 0)
      faults.push(`ledger entry ${id} says a negative balance`);
    if (entry.outcome === 'granted' && (entry.held ?? 0) > entry.allowance + entry.packCredits)
      faults.push(`ledger entry ${id} took or held what was held already`);
  }
  const has = { allowance: record?.creditsAllowance ?? 0, packs: record?.packCreditsRemaining ?? 0 };
  if (allowance !== has.allowance)
    faults.push(`allowance is ${has.allowance}, the ledger adds up to ${allowance}`);
  if (packs !== has.packs) faults.push(`pack credits are ${has.packs}, the ledger adds up to ${packs}`);
  if (has.allowance < 0 || has.packs < 0) faults.push(`a balance is negative: ${JSON.stringify(has)}`);
  const total = record?.creditsRemaining ?? 0;
  if (total !== has.allowance + has.packs) faults.push(`the balance ${total} is not the sum of its parts`);
  return faults;
}

/** The ledger only grows: what was written stays as it was. */
export function rewritten(before: State['ledger'], after: State['ledger']): string[] {
  const faults: string[] = [];
  for (const [id, entry] of before) {
    if (!isSame(entry, after.get(id))) faults.push(`ledger entry ${id} was changed or lost`);
  }
  return faults;
}

export function isSame(a: StoredEntry, b: StoredEntry | undefined): boolean {
  return (
    a.kind === b?.kind &&
    a.deltaAllowance === b.deltaAllowance &&
    a.deltaPack === b.deltaPack &&
    a.allowance === b.allowance &&
    a.packCredits === b.packCredits &&
    a.outcome === b.outcome &&
    a.held === b.held &&
    a.shortfall === b.shortfall &&
    a.createdAt === b.createdAt
  );
}

/** Whether the record holds exactly what is held at this time. */
export function holdFaults({ record }: State, expected: ReadonlyMap<string, number>, now: number): string[] {
  const open = [...(record?.holds ?? [])].filter(([, { expiresAt }]) => expiresAt > now);
  const found = open.map(([reservation, { credits }]) => `${reservation}: ${credits}`).sort();
  const right = [...expected].map(([reservation, credits]) => `${reservation}: ${credits}`).sort();
  return found.join() === right.join() ? [] : [`held is [${found.join(', ')}], not [${right.join(', ')}]`];
}
