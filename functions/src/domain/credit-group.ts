import { unexpired } from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import { type ConsumeCommand, type ConsumeDecision, consumeEntryId, decideConsume } from './consume.ts';
import type { Credits } from './credits.ts';
import type { ConsumeEntry, RequestEntry, ReserveEntry, SettleEntry } from './ledger.ts';
import { decideReserve, type ReserveCommand, type ReserveDecision, reserveEntryId } from './reserve.ts';
import { decideSettle, type SettleCommand, type SettleDecision, settleEntryId } from './settle.ts';

/** Everything that a user's features ask of the credits. */
export type CreditCommand =
  | ({ readonly of: 'consume' } & ConsumeCommand)
  | ({ readonly of: 'reserve' } & ReserveCommand)
  | ({ readonly of: 'settle' } & SettleCommand);

export type CreditDecision =
  | { readonly of: 'consume'; readonly decision: ConsumeDecision }
  | { readonly of: 'reserve'; readonly decision: ReserveDecision }
  | { readonly of: 'settle'; readonly decision: SettleDecision };

export interface GroupDecision {
  /** One for each command, in their order. */
  readonly decisions: readonly CreditDecision[];
  /** Ledger entries to create, each once. */
  readonly entries: readonly RequestEntry[];
  /** The credits after the group, without holds that have expired; null for an account without credits. */
  readonly credits: Credits | null;
}

/**
 * Decides requests of one user that are committed together, one after the other: each sees the credits that
 * the one before it left, and a key that comes twice in the group spends once.
 *
 * @param recorded ledger entries that are known to exist, by id
 * @param refusals how many refusals may still be recorded: each is a ledger entry, and costs its sender nothing
 */
export function decideGroup(
  commands: readonly CreditCommand[],
  credits: Credits | null,
  recorded: ReadonlyMap<string, RequestEntry>,
  now: Millis,
  refusals = Number.POSITIVE_INFINITY,
): GroupDecision {
  const known = new Map(recorded);
  let refusalsLeft = refusals;
  const entries: RequestEntry[] = [];
  let left = credits === null ? null : { ...credits, holds: unexpired(credits.holds, now) };
  const decisions = commands.map((command) => {
    const decided = decide(command, left, known, now);
    const { decision } = decided;
    if (decision.kind === 'exhausted') {
      if (refusalsLeft <= 0) return unrecorded(decided);
      refusalsLeft -= 1;
    }
    if ('credits' in decision) {
      known.set(decision.entry.id, decision.entry);
      entries.push(decision.entry);
      left = decision.credits;
    }
    return decided;
  });
  return { decisions, entries, credits: left };
}

function unrecorded(decided: CreditDecision): CreditDecision {
  const decision = { kind: 'too_many_refusals' } as const;
  return decided.of === 'settle' ? decided : { of: decided.of, decision };
}

/** The ledger entries that a command's decision depends on. */
export function entryIdsOf(command: CreditCommand): readonly string[] {
  switch (command.of) {
    case 'consume':
      return [consumeEntryId(command.key)];
    case 'reserve':
      return [reserveEntryId(command.key)];
    case 'settle':
      return [reserveEntryId(command.reservation), settleEntryId(command.reservation)];
    default:
      return command satisfies never;
  }
}

function decide(
  command: CreditCommand,
  credits: Credits | null,
  known: ReadonlyMap<string, RequestEntry>,
  now: Millis,
): CreditDecision {
  switch (command.of) {
    case 'consume': {
      const recorded = known.get(consumeEntryId(command.key));
      const entry = isConsume(recorded) ? recorded : null;
      return { of: command.of, decision: decideConsume(command, credits, entry, now) };
    }
    case 'reserve': {
      const recorded = known.get(reserveEntryId(command.key));
      const entry = isReserve(recorded) ? recorded : null;
      return { of: command.of, decision: decideReserve(command, credits, entry, now) };
    }
    case 'settle': {
      const reserve = known.get(reserveEntryId(command.reservation));
      const settle = known.get(settleEntryId(command.reservation));
      const recorded = {
        reserve: isReserve(reserve) ? reserve : null,
        settle: isSettle(settle) ? settle : null,
      };
      return { of: command.of, decision: decideSettle(command, credits, recorded, now) };
    }
    default:
      return command satisfies never;
  }
}

const isConsume = (entry: RequestEntry | undefined): entry is ConsumeEntry => entry?.kind === 'consume';
const isReserve = (entry: RequestEntry | undefined): entry is ReserveEntry => entry?.kind === 'reserve';
const isSettle = (entry: RequestEntry | undefined): entry is SettleEntry =>
  entry?.kind === 'confirm' || entry?.kind === 'release' || entry?.kind === 'expiry';
