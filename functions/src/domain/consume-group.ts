import type { Millis } from '../contract/customer.ts';
import type { Balances } from './balance.ts';
import { type ConsumeCommand, type ConsumeDecision, consumeEntryId, decideConsume } from './consume.ts';
import type { ConsumeEntry } from './ledger.ts';

export interface GroupDecision {
  /** One for each command, in their order. */
  readonly decisions: readonly ConsumeDecision[];
  /** Ledger entries to create, each once. */
  readonly entries: readonly ConsumeEntry[];
  /** The balances after the group; null for an account without credits. */
  readonly balances: Balances | null;
}

/**
 * Decides requests of one user that are committed together, one after the other: each sees the balance that
 * the one before it left, and a key that comes twice in the group spends once.
 *
 * @param recorded ledger entries that are known to exist, by id
 */
export function decideGroup(
  commands: readonly ConsumeCommand[],
  balances: Balances | null,
  recorded: ReadonlyMap<string, ConsumeEntry>,
  now: Millis,
): GroupDecision {
  const known = new Map(recorded);
  const entries: ConsumeEntry[] = [];
  let left = balances;
  const decisions = commands.map((command) => {
    const decision = decideConsume(command, left, known.get(consumeEntryId(command.key)) ?? null, now);
    if (decision.kind === 'granted' || decision.kind === 'exhausted') {
      known.set(decision.entry.id, decision.entry);
      entries.push(decision.entry);
    }
    if (decision.kind === 'granted') left = decision.balances;
    return decision;
  });
  return { decisions, entries, balances: left };
}
