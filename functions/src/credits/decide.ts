import { ownedCredits, periodEntry, spendCredits, unlimited } from '@extension-billing/contract/credits';
import type { Millis, Rights } from '@extension-billing/contract/customer';
import { drawn, hasEntitlement, heldOf, unexpired } from '@extension-billing/contract/customer';
import type {
  ConsumeEntry,
  RequestEntry,
  ReserveEntry,
  SettleEntry,
} from '@extension-billing/contract/ledger';
import { measure, unknownUnit } from '@extension-billing/contract/measured';
import type { CreditHold, CustomerRecord } from '@extension-billing/contract/record';
import { DAY } from '@extension-billing/contract/time';
import { advanceGiven, freeHeld, freeLeft, spendWithin, withFreeUpTo } from '../free/budget.ts';
import type {
  Asked,
  Balances,
  ConsumeCommand,
  ConsumeDecision,
  CreditCommand,
  CreditDecision,
  Credits,
  EndCommand,
  GroupDecision,
  GroupLimits,
  MeasuredCommand,
  ReserveCommand,
  ReserveDecision,
  SettleDecision,
  SpendCommand,
} from './commands.ts';

// What a user's features do to the credits, decided without I/O: consume, reserve, confirm, settle and release.

/** Reservations that a user can have open: they live in the record, which everybody who listens to it receives. */
export const MAX_HOLDS = 50;

/** How far ahead of its own clock an instance follows the record's time when it counts how long a hold lasts. */
const MOST_AHEAD: Millis = 60_000;

/**
 * When something is decided. The record's time only moves forward, even if an instance whose clock was ahead wrote it.
 * Holds follow it by a minute at most: they end by this instance's clock, or a record from the future would keep them
 * open until then.
 */
export function timesOf(
  clock: Millis,
  updatedAt: Millis,
): { readonly now: Millis; readonly holdsAt: Millis } {
  const now = Math.max(clock, updatedAt + 1);
  return { now, holdsAt: Math.min(now, clock + MOST_AHEAD) };
}

/** The credits of a record; null for an account without credits. */
export function creditsOf(record: CustomerRecord | null): Credits | null {
  const owned = ownedCredits(record);
  return owned === null ? null : { ...owned, holds: record?.creditHolds ?? [] };
}

/** The spendable balance. */
export function totalOf(balances: Balances): number {
  return balances.allowance + balances.packs;
}

/** Whether a reservation's end is the one that was asked for: it is released also where it freed itself. */
export function isEndAskedFor(asked: EndCommand['kind'], end: SettleEntry['kind']): boolean {
  return asked === 'release' ? end !== 'confirm' : end === 'confirm';
}

/** Ids of the ledger entries that a command's decision depends on. */
export function entryIdsOf(command: CreditCommand): readonly string[] {
  switch (command.kind) {
    case 'consume':
      return [consumeEntryId(command.key)];
    case 'reserve':
      return [reserveEntryId(command.key)];
    case 'confirm':
    case 'settle':
    case 'release':
      return [reserveEntryId(command.reservation), settleEntryId(command.reservation)];
    default:
      return command satisfies never;
  }
}

/**
 * Decides requests of one user that are committed together, one after the other: each sees the credits that
 * the one before it left, and a key that comes twice in the group spends once.
 *
 * @param recorded ledger entries that are known to exist, by id
 */
export function decideGroup(
  commands: readonly CreditCommand[],
  credits: Credits | null,
  recorded: ReadonlyMap<string, RequestEntry>,
  now: Millis,
  limits: GroupLimits = {},
): GroupDecision {
  const { refusals = Number.POSITIVE_INFINITY, rights = null, isFreeOff = false, holdsAt = now } = limits;
  const freeLimit = limits.free ?? Number.POSITIVE_INFINITY;
  const known = new Map(recorded);
  const entries: RequestEntry[] = [];
  let refusalsLeft = refusals;
  const start = credits === null ? null : startOf(credits, now, holdsAt);
  let freeTaken = credits === null || start === null ? 0 : takenOfFree(credits, start, now, holdsAt);
  let left = start;
  const decisions = commands.map((command): CreditDecision => {
    const free = isFreeOff ? 0 : freeLimit - freeTaken;
    const decision = decide(command, left, known, { now, holdsAt, free, isFreeOff, rights });
    if (decision.kind === 'exhausted') {
      if (refusalsLeft <= 0) return { kind: 'too_many_refusals' };
      refusalsLeft -= 1;
    }
    if ('credits' in decision) {
      known.set(decision.entry.id, decision.entry);
      entries.push(decision.entry);
      freeTaken += left === null ? 0 : takenOfFree(left, decision.credits, now, holdsAt);
      left = decision.credits;
    }
    return decision;
  });
  const period = entries.length === 0 || start === null ? null : periodEntry(credits, start, now);
  const all = period === null ? entries : [...entries, period];
  return { decisions, entries: all, credits: left, freeTaken };
}

/** The credits as they are at `now`, without holds that have ended at `holdsAt`. */
function startOf(credits: Credits, now: Millis, holdsAt: Millis): Credits {
  const given = credits.pools.length === 0 ? credits : advanceGiven(credits, now);
  return { ...given, holds: unexpired(credits.holds, holdsAt) };
}

/**
 * Free credits that were spent or held, beyond those that were held before; negative if holds that were made today ended
 * and fewer were spent.
 */
function takenOfFree(before: Credits, after: Credits, now: Millis, holdsAt: Millis): number {
  if (before.pools.length === 0) return 0;
  // What ended with its period was not spent.
  const spent = freeLeft(advanceGiven(before, now)) - freeLeft(after);
  const known = new Set(before.holds.map(({ reservation }) => reservation));
  const kept = new Set(after.holds.map(({ reservation }) => reservation));
  const made = freeHeld(after.holds.filter(({ reservation }) => !known.has(reservation)));
  // What a hold keeps was counted when it was made.
  const ended = before.holds.filter(({ reservation }) => !kept.has(reservation));
  const today = ended.filter(({ heldAt }) => heldAt !== undefined && isSameDay(heldAt, holdsAt));
  return made + Math.max(0, spent - freeHeld(ended)) - Math.max(0, freeHeld(today) - spent);
}

/** Free credits that nothing holds yet, at most so many. */
function freeOf(credits: Credits, most: number): number {
  return Math.min(most, Math.max(0, freeLeft(credits) - freeHeld(credits.holds)));
}

function decide(
  command: CreditCommand,
  credits: Credits | null,
  known: ReadonlyMap<string, RequestEntry>,
  at: Moment,
): CreditDecision {
  switch (command.kind) {
    case 'consume': {
      const recorded = known.get(consumeEntryId(command.key));
      if (recorded === undefined && lacksPlan(command, at)) return { kind: 'plan_required' };
      return decideConsume(command, credits, recorded?.kind === 'consume' ? recorded : null, at);
    }
    case 'reserve': {
      const recorded = known.get(reserveEntryId(command.key));
      if (recorded === undefined && lacksPlan(command, at)) return { kind: 'plan_required' };
      return decideReserve(command, credits, recorded?.kind === 'reserve' ? recorded : null, at);
    }
    case 'confirm':
    case 'settle':
    case 'release': {
      const reserve = known.get(reserveEntryId(command.reservation));
      const settle = known.get(settleEntryId(command.reservation));
      const recorded = {
        reserve: reserve?.kind === 'reserve' ? reserve : null,
        settle: settle !== undefined && isSettle(settle) ? settle : null,
      };
      return decideSettle(command, credits, recorded, at);
    }
    default:
      return command satisfies never;
  }
}

/** Whether what the feature needs is not among what the user is entitled to. */
function lacksPlan({ needs }: SpendCommand, { rights, now }: Moment): boolean {
  return needs !== undefined && !hasEntitlement(rights, needs, now);
}

/** When something is decided, how many free credits it may take, and what the record entitles to. */
interface Moment {
  readonly now: Millis;
  /** The time by which holds are made. */
  readonly holdsAt: Millis;
  readonly free: number;
  readonly isFreeOff: boolean;
  readonly rights: Rights | null;
}

function isSettle(entry: RequestEntry): entry is SettleEntry {
  return entry.kind === 'confirm' || entry.kind === 'release' || entry.kind === 'expiry';
}

const consumeEntryId = (key: string): string => `consume_${key}`;
const reserveEntryId = (key: string): string => `reserve_${key}`;
const settleEntryId = (reservation: string): string => `settle_${reservation}`;

/**
 * The outcome of one consume request. A recorded outcome comes before everything else, so a retry never
 * spends again and a recorded refusal stays one. What is held by reservations is not there to be spent.
 *
 * @param credits null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
function decideConsume(
  { key, feature, cost, ...asked }: ConsumeCommand,
  credits: Credits | null,
  recorded: ConsumeEntry | null,
  at: Moment,
): ConsumeDecision {
  const { free } = at;
  if (recorded !== null) {
    const isSame = recorded.feature === feature && isOfSameSort(recorded, asked);
    return isSame ? { kind: 'replayed', entry: recorded } : { kind: 'key_reused' };
  }
  if (credits === null) return { kind: 'free' };
  const isCovered = available(credits, at) >= cost;
  if (!isCovered && isUnderCeiling(credits, cost, at)) return underCeiling(credits, at);
  const after = isCovered ? spent(credits, cost, free, at.now) : credits;
  const outcome = isCovered ? 'granted' : 'exhausted';
  const entry: ConsumeEntry = {
    id: consumeEntryId(key),
    kind: 'consume',
    feature,
    cost,
    outcome,
    ...deltaOf(credits, after, at),
    ...namesOf(asked),
  };
  return { kind: outcome, entry, credits: after };
}

/**
 * The outcome of one reserve request: what a consume of the same cost would be, but nothing is spent. What is held
 * cannot be spent by another request until the reservation ends.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the ledger entry under this key, if there is one
 */
function decideReserve(
  { key, feature, cost, lifetime, attempt, price: { rates, overdraw } = {}, ...asked }: ReserveCommand,
  credits: Credits | null,
  recorded: ReserveEntry | null,
  at: Moment,
): ReserveDecision {
  const { now, holdsAt, free } = at;
  if (recorded !== null) {
    const { lifetime: held = recorded.expiresAt - recorded.createdAt } = recorded;
    const isSameHold = recorded.feature === feature && held === lifetime;
    const isSameCost = asked.isNamed !== true || recorded.cost === cost;
    // Handed out once, so that work under it is done once.
    const isHolders =
      attempt === undefined || recorded.attempt === attempt || recorded.outcome === 'exhausted';
    const isSame = isSameHold && isSameCost && isHolders && isOfSameSort(recorded, asked);
    if (!isSame) return { kind: 'key_reused' };
    const isOpen = credits?.holds.some(({ reservation }) => reservation === key) ?? false;
    return { kind: 'replayed', entry: recorded, hasEnded: !isOpen };
  }
  if (credits === null) return { kind: 'free' };
  const isCovered = available(credits, at) >= cost;
  if (!isCovered && isUnderCeiling(credits, cost, at)) return underCeiling(credits, at);
  if (isCovered && credits.holds.length >= MAX_HOLDS) return { kind: 'too_many' };
  const expiresAt = holdsAt + lifetime;
  const ofFree = credits.pools.length === 0 ? 0 : freeOf(credits, Math.min(cost, free));
  const hold: CreditHold = {
    reservation: key,
    feature,
    credits: cost,
    expiresAt,
    ...(ofFree > 0 && { free: ofFree, heldAt: holdsAt }),
    ...(asked.by !== undefined && { byService: true }),
  };
  const after = isCovered ? { ...credits, holds: [...credits.holds, hold] } : credits;
  const outcome = isCovered ? 'granted' : 'exhausted';
  const entry: ReserveEntry = {
    id: reserveEntryId(key),
    kind: 'reserve',
    feature,
    cost,
    outcome,
    expiresAt,
    ...(expiresAt - now !== lifetime && { lifetime }),
    ...(rates !== undefined && { rates }),
    ...(overdraw !== undefined && { overdraw }),
    ...(attempt !== undefined && { attempt }),
    ...deltaOf(credits, after, at),
    ...namesOf(asked),
  };
  return { kind: outcome, entry, credits: after };
}

/**
 * The one end of a reservation. Held credits are taken by a confirm, from the allowance first, as far as they are
 * still owned: what a reset or a refund took away meanwhile is the entry's `shortfall`. A settle takes as much of them as
 * was used. Either takes nothing when it comes after the expiry, even where the credits are there: they had been free for
 * others to spend.
 *
 * @param credits with none but unexpired holds; null for an account without credits
 * @param recorded the entries of the reservation, as far as there are any
 */
function decideSettle(
  command: EndCommand,
  credits: Credits | null,
  recorded: { readonly reserve: ReserveEntry | null; readonly settle: SettleEntry | null },
  at: Moment,
): SettleDecision {
  const { reservation } = command;
  const { reserve } = recorded;
  const hold = credits?.holds.find((open) => open.reservation === reservation);
  const isServices = reserve?.by !== undefined || hold?.byService === true || command.kind === 'settle';
  if (isServices && command.by === undefined) return { kind: 'unknown' };
  if (recorded.settle !== null) return { kind: 'replayed', entry: recorded.settle };
  if (credits === null) return { kind: 'free' };
  if (hold !== undefined) {
    if (command.kind === 'settle') return decideMeasured(command, hold, reserve, credits, at);
    return settled({ kind: command.kind, cost: hold.credits }, hold, credits, at, command);
  }
  if (reserve === null || reserve.outcome === 'exhausted') return { kind: 'unknown' };
  // It was held and is not any more, so it has expired, whatever this instance's clock says.
  const { feature, cost, expiresAt } = reserve;
  const expired = { reservation, feature, credits: cost, expiresAt };
  return settled({ kind: 'expiry', cost }, expired, credits, at, command);
}

/**
 * What was used is taken: of what is held first, and beyond it of what can be spent besides, as far as the feature's
 * overdraw goes. What of that is not there is the entry's `shortfall`.
 *
 * @param reserve what the catalogue has lost since counts as it was then; null if the entry was not read, and then
 *   neither refusal is final
 */
function decideMeasured(
  { measured, features, ...asked }: MeasuredCommand,
  hold: CreditHold,
  reserve: ReserveEntry | null,
  credits: Credits,
  at: Moment,
): SettleDecision {
  const inForce = (Object.hasOwn(features, hold.feature) ? features[hold.feature] : undefined) ?? {};
  const price = {
    rates: { ...reserve?.rates, ...inForce.rates },
    overdraw: inForce.overdraw ?? reserve?.overdraw ?? 0,
  };
  const unit = unknownUnit(price, measured.units ?? {});
  if (unit !== null) return { kind: 'unknown_unit', unit };
  const { cost, receipt } = measure(price, measured);
  const most = hold.credits + price.overdraw;
  if (cost > most) return { kind: 'above_hold', most };
  return settled({ kind: 'confirm', cost, ...(receipt !== null && { receipt }) }, hold, credits, at, asked);
}

function settled(
  { kind, cost, receipt }: Pick<SettleEntry, 'kind' | 'cost' | 'receipt'>,
  hold: CreditHold,
  credits: Credits,
  at: Moment,
  asked: Asked,
): SettleDecision {
  const { now, free } = at;
  const isTaken = kind === 'confirm';
  const beyond = Math.max(0, cost - hold.credits);
  const due = beyond === 0 ? cost : hold.credits + Math.min(beyond, available(credits, at));
  const rest = isTaken ? spent(credits, due, (hold.free ?? 0) + free, now) : credits;
  const after = { ...rest, holds: credits.holds.filter((open) => open !== hold) };
  const taken = totalOf(credits.balances) - totalOf(after.balances);
  const shortfall = isTaken ? cost - taken : 0;
  const entry: SettleEntry = {
    id: settleEntryId(hold.reservation),
    kind,
    feature: hold.feature,
    cost,
    ...(shortfall > 0 && { shortfall }),
    ...(receipt !== undefined && { receipt }),
    ...deltaOf(credits, after, at),
    ...namesOf(asked),
  };
  return { kind: 'settled', entry, credits: after };
}

/** A user's request and a service's are never the same one; which service asks does not count, as keys are rotated. */
function isOfSameSort(recorded: Asked, asked: Asked): boolean {
  return (recorded.by === undefined) === (asked.by === undefined);
}

/** What an entry says of who asked. */
function namesOf({ correlationId, by }: Asked): Asked {
  return { ...(correlationId !== undefined && { correlationId }), ...(by !== undefined && { by }) };
}

/** Whether `cost` could be spent or held if the day's ceiling had enough free credits. */
function isUnderCeiling(credits: Credits, cost: number, at: Moment): boolean {
  return !at.isFreeOff && available(credits, { ...at, free: Number.POSITIVE_INFINITY }) >= cost;
}

/** What can be spent or held, with what is held left alone, and at most `free` free credits. */
function available(credits: Credits, { now, holdsAt, free }: Moment): number {
  const { pools, holds } = credits;
  const open = pools.length === 0 ? credits : withFreeUpTo(credits, free + freeHeld(holds));
  return totalOf(drawn(unlimited(open, now), heldOf(holds, holdsAt)));
}

/** The credits once `cost` is spent, of the free ones no more than `free`. */
function spent(credits: Credits, cost: number, free: number, now: Millis): Credits {
  const hasPools = credits.pools.length > 0;
  return hasPools ? spendWithin(credits, cost, free, now) : spendCredits(credits, cost, now);
}

function underCeiling(credits: Credits, { now, holdsAt }: Moment): ConsumeDecision<never> {
  const available = drawn(unlimited(credits, now), heldOf(credits.holds, holdsAt));
  return { kind: 'free_ceiling', available };
}

/** The ledger delta between two states of the credits, with what they are after it. */
function deltaOf(before: Credits, after: Credits, { now, holdsAt, isFreeOff }: Moment) {
  const held = heldOf(after.holds, holdsAt);
  const open = isFreeOff && after.pools.length > 0 ? withFreeUpTo(after, freeHeld(after.holds)) : after;
  const limited = totalOf(after.balances) - totalOf(unlimited(open, now));
  return {
    deltaAllowance: after.balances.allowance - before.balances.allowance,
    deltaPack: after.balances.packs - before.balances.packs,
    allowance: after.balances.allowance,
    packCredits: after.balances.packs,
    ...(held > 0 && { held }),
    ...(limited > 0 && { limited }),
    createdAt: now,
  };
}

function isSameDay(one: Millis, other: Millis): boolean {
  return Math.floor(one / DAY) === Math.floor(other / DAY);
}
