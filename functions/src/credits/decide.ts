import {
  availableCredits,
  balancesOf,
  type CreditParts,
  drawn,
  heldOf,
  unexpired,
} from '@extension-billing/contract/available-credits';
import type { Millis } from '@extension-billing/contract/customer';
import type {
  ConsumeEntry,
  RequestEntry,
  ReserveEntry,
  SettleEntry,
} from '@extension-billing/contract/ledger';
import type { CreditHold, CustomerRecord } from '@extension-billing/contract/record';

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

export interface ConsumeCommand {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the catalogue. */
  readonly cost: number;
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * - `granted` and `exhausted` carry the ledger entry to record, and the credits after it;
 * - `replayed` carries the entry that an earlier request with the same key recorded;
 * - `key_reused`: that entry is for another feature;
 * - `too_many_refusals`: as many were recorded lately as may be; nothing is recorded, and the same key may be tried again;
 * - `free`: an account without credits, nothing to record (specification, "Credit balance moves", rule 3).
 */
export type ConsumeDecision =
  | { readonly kind: 'granted'; readonly entry: ConsumeEntry; readonly credits: Credits }
  | { readonly kind: 'exhausted'; readonly entry: ConsumeEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: ConsumeEntry }
  | { readonly kind: 'key_reused'; readonly feature: string }
  | { readonly kind: 'too_many_refusals' }
  | { readonly kind: 'free' };

function consumeEntryId(key: string): string {
  return `consume_${key}`;
}

/**
 * The outcome of one consume request. A recorded outcome comes before everything else, so a retry never
 * spends again and a recorded refusal stays one. What is held by reservations is not there to be spent.
 *
 * @param credits null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
export function decideConsume(
  { key, feature, cost, correlationId }: ConsumeCommand,
  credits: Credits | null,
  recorded: ConsumeEntry | null,
  now: Millis,
): ConsumeDecision {
  if (recorded !== null) {
    return recorded.feature === feature
      ? { kind: 'replayed', entry: recorded }
      : { kind: 'key_reused', feature: recorded.feature };
  }
  if (credits === null) return { kind: 'free' };
  const balances = covers(credits, cost, now) ? spend(credits.balances, cost) : null;
  const outcome = balances === null ? 'exhausted' : 'granted';
  const after = balances === null ? credits : { ...credits, balances };
  const entry = {
    id: consumeEntryId(key),
    kind: 'consume' as const,
    feature,
    cost,
    outcome,
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  } as const;
  return { kind: outcome, entry, credits: after };
}

/** Reservations that a user can have open: they live in the record, which everybody who listens to it receives. */
export const MOST_HOLDS = 50;

export interface ReserveCommand {
  /** Idempotency key, `[A-Za-z0-9_-]{1,128}`; the name of the reservation from then on. */
  readonly key: string;
  readonly feature: string;
  /** Credits, a positive whole number from the catalogue. */
  readonly cost: number;
  /** How long the credits are held. */
  readonly lifetime: Millis;
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * As for a consume. `granted` holds the credits; `key_reused`: the recorded one is for another feature or lifetime;
 * `too_many`: so many are open already, nothing is recorded, and the same key may be tried again; `too_many_refusals`:
 * as for a consume.
 */
export type ReserveDecision =
  | { readonly kind: 'granted'; readonly entry: ReserveEntry; readonly credits: Credits }
  | { readonly kind: 'exhausted'; readonly entry: ReserveEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: ReserveEntry }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'too_many' }
  | { readonly kind: 'too_many_refusals' }
  | { readonly kind: 'free' };

function reserveEntryId(key: string): string {
  return `reserve_${key}`;
}

/**
 * The outcome of one reserve request: what a consume of the same cost would be, but nothing is spent. What is held
 * cannot be spent by another request until the reservation ends.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
function decideReserve(
  { key, feature, cost, lifetime, correlationId }: ReserveCommand,
  credits: Credits | null,
  recorded: ReserveEntry | null,
  now: Millis,
): ReserveDecision {
  if (recorded !== null) {
    const isSame = recorded.feature === feature && recorded.expiresAt - recorded.createdAt === lifetime;
    return isSame ? { kind: 'replayed', entry: recorded } : { kind: 'key_reused' };
  }
  if (credits === null) return { kind: 'free' };
  const isCovered = covers(credits, cost, now);
  if (isCovered && credits.holds.length >= MOST_HOLDS) return { kind: 'too_many' };
  const expiresAt = now + lifetime;
  const hold = { reservation: key, feature, credits: cost, expiresAt };
  const after = isCovered ? { ...credits, holds: [...credits.holds, hold] } : credits;
  const outcome = isCovered ? 'granted' : 'exhausted';
  const entry = {
    id: reserveEntryId(key),
    kind: 'reserve' as const,
    feature,
    cost,
    outcome,
    expiresAt,
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  } as const;
  return { kind: outcome, entry, credits: after };
}

export interface SettleCommand {
  /** The idempotency key of the reserve. */
  readonly reservation: string;
  readonly as: 'confirm' | 'release';
  /** The name of the request, for the entry. */
  readonly correlationId?: string;
}

/**
 * - `settled`: the entry to record, and the credits after it;
 * - `replayed`: how the reservation had ended before, whether or not that is what is asked for now;
 * - `unknown`: nothing was ever held under this name;
 * - `free`: an account without credits, nothing to record.
 */
export type SettleDecision =
  | { readonly kind: 'settled'; readonly entry: SettleEntry; readonly credits: Credits }
  | { readonly kind: 'replayed'; readonly entry: SettleEntry }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'free' };

function settleEntryId(reservation: string): string {
  return `settle_${reservation}`;
}

/** Whether a reservation's end is the one that was asked for: it is released also where it freed itself. */
export function isEndAskedFor(as: SettleCommand['as'], end: SettleEntry['kind']): boolean {
  return as === 'confirm' ? end === 'confirm' : end !== 'confirm';
}

/**
 * The one end of a reservation. Held credits are taken by a confirm, from the allowance first, as far as they are
 * still owned: what a reset or a refund took away meanwhile is the entry's `shortfall`. A confirm that comes after the
 * expiry takes nothing, even where the credits are there: they had been free for others to spend.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the entries of the reservation, as far as there are any
 */
export function decideSettle(
  { reservation, as, correlationId }: SettleCommand,
  credits: Credits | null,
  recorded: { readonly reserve: ReserveEntry | null; readonly settle: SettleEntry | null },
  now: Millis,
): SettleDecision {
  if (recorded.settle !== null) return { kind: 'replayed', entry: recorded.settle };
  if (credits === null) return { kind: 'free' };
  const hold = credits.holds.find((open) => open.reservation === reservation);
  if (hold !== undefined) return settled(as, hold, credits, { now, correlationId });
  const { reserve } = recorded;
  if (reserve === null || reserve.outcome === 'exhausted') return { kind: 'unknown' };
  // It was held and is not any more, so it has expired, whatever this instance's clock says.
  const { feature, cost, expiresAt } = reserve;
  const expired = { reservation, feature, credits: cost, expiresAt };
  return settled('expiry', expired, credits, { now, correlationId });
}

function settled(
  kind: SettleEntry['kind'],
  hold: CreditHold,
  credits: Credits,
  { now, correlationId }: { readonly now: Millis; readonly correlationId: string | undefined },
): SettleDecision {
  const { reservation, feature, credits: cost } = hold;
  const balances = kind === 'confirm' ? drawn(credits.balances, cost) : credits.balances;
  const after = { balances, holds: credits.holds.filter((open) => open !== hold) };
  const shortfall = kind === 'confirm' ? Math.max(0, cost - totalOf(credits.balances)) : 0;
  const entry: SettleEntry = {
    id: settleEntryId(reservation),
    kind,
    feature,
    cost,
    ...(shortfall > 0 && { shortfall }),
    ...movementOf(credits, after, now),
    ...(correlationId !== undefined && { correlationId }),
  };
  return { kind: 'settled', entry, credits: after };
}

/** What an account owns, and what of it is held by reservations. */
export interface Credits {
  readonly balances: Balances;
  readonly holds: readonly CreditHold[];
}

/** The credits of a record; null for an account without credits. */
export function creditsOf(record: CustomerRecord | null): Credits | null {
  const balances = balancesOf(record);
  return balances === null ? null : { balances, holds: record?.creditHolds ?? [] };
}

/** Whether `cost` can be spent or held at `now`, with what is held left alone. */
function covers({ balances, holds }: Credits, cost: number, now: Millis): boolean {
  return totalOf(availableCredits(balances, holds, now)) >= cost;
}

/**
 * The two parts of a credit balance. Whole credits, never negative.
 * The spendable balance is their sum; the allowance is replaced every month, pack credits never expire
 * (specification, "Credit balance moves").
 */
export type Balances = CreditParts;

export function totalOf(balances: Balances): number {
  return balances.allowance + balances.packs;
}

/**
 * The balances after a spend of `cost` credits: the allowance first, then pack credits.
 * Null when they do not cover the cost; nothing is spent in part.
 */
function spend(balances: Balances, cost: number): Balances | null {
  if (totalOf(balances) < cost) return null;
  const fromAllowance = Math.min(balances.allowance, cost);
  return { allowance: balances.allowance - fromAllowance, packs: balances.packs - (cost - fromAllowance) };
}

/** What a ledger entry says of the way from one state of the credits to the next. */
function movementOf(before: Credits, after: Credits, now: Millis) {
  const held = heldOf(after.holds, now);
  return {
    deltaAllowance: after.balances.allowance - before.balances.allowance,
    deltaPack: after.balances.packs - before.balances.packs,
    allowance: after.balances.allowance,
    packCredits: after.balances.packs,
    ...(held > 0 && { held }),
    createdAt: now,
  };
}
