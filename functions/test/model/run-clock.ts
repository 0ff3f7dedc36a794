import { NOT_BEGUN } from '@extension-billing/contract/schedule';
import { DAY } from '@extension-billing/contract/time';
import fc from 'fast-check';
import type { CreditDecision } from '../../src/credits/commands.ts';
import {
  anyClockHistory,
  CLOCKS_ARE_OFF,
  type ClockAction,
  type ClockHistory,
  OVERDRAW,
  type PoolTerms,
} from './clock-history.ts';
import { ClockOracle } from './clock-oracle.ts';
import type { ClockService } from './clock-service.ts';
import { HoldBook } from './credit-oracle.ts';
import { bookkeeping, rewritten } from './judge.ts';
import { type Look, play } from './play.ts';

export interface ClockCounts {
  histories: number;
  requests: number;
  granted: number;
  periods: number;
}

/** Plays random histories; the first failure in words, or null. */
export async function checkClock(
  makeService: (instances: number) => ClockService,
  run: Look,
): Promise<ClockCounts & { readonly failure: string | null }> {
  const counts: ClockCounts = { histories: 0, requests: 0, granted: 0, periods: 0 };
  const property = fc.asyncProperty(anyClockHistory, async (history) => {
    counts.histories += 1;
    await new ClockRun(makeService(CLOCKS_ARE_OFF.length), history, counts).play();
  });
  const failure = await play('clock', property, run, ({ start, free, actions }) => [
    `start ${new Date(start).toISOString()}, free ${JSON.stringify(free)}`,
    ...actions.map((action) => `  ${JSON.stringify(action)}`),
  ]);
  return { ...counts, failure };
}

/** Answers to requests that write nothing. */
const LEAVES_NOTHING: ReadonlySet<string> = new Set(['free', 'unknown', 'above_hold']);
/** What is reserved, by what it costs. */
const FEATURES = Object.fromEntries([1, 7, 20, 45].map((cost) => [`f${cost}`, { overdraw: OVERDRAW }]));

type Request = Extract<ClockAction, { do: 'consume' | 'reserve' | 'settle' }>;

/** One history: what the service answers, stores and shows is held to the oracle after every action. */
class ClockRun {
  readonly #service: ClockService;
  readonly #actions: readonly ClockAction[];
  readonly #free: PoolTerms | null;
  readonly #counts: ClockCounts;
  /** As of what was last written. */
  #oracle = new ClockOracle();
  readonly #holds = new HoldBook();
  /** Outcomes that are recorded, by ledger entry. */
  readonly #recorded = new Map<string, string>();
  /** What the service wrote last, where somebody has written past it since. */
  #tampered: { updatedAt: number; oracle: ClockOracle; allowance: number } | null = null;
  #clock: number;
  #made = 0;

  constructor(service: ClockService, { start, free, actions }: ClockHistory, counts: ClockCounts) {
    this.#service = service;
    this.#actions = actions;
    this.#clock = start;
    const anchor = start - 500;
    this.#free = free === null ? null : { ...free, anchor, from: anchor };
    this.#counts = counts;
  }

  async play(): Promise<void> {
    const free = this.#free;
    if (free !== null) await this.#change((oracle) => oracle.with(free));
    let before = this.#service.state();
    for (const action of this.#actions) {
      await this.#do(action);
      const after = this.#service.state();
      const faults = [
        ...bookkeeping(after),
        ...rewritten(before.ledger, after.ledger),
        ...this.#stored(),
        ...this.#shown(),
      ];
      if (faults.length > 0)
        throw new Error(`after ${JSON.stringify(action)}:\n  - ${faults.join('\n  - ')}`);
      before = after;
    }
    this.#counts.periods += [...before.ledger.values()].filter(({ kind }) => kind === 'period').length;
  }

  async #do(action: ClockAction): Promise<void> {
    switch (action.do) {
      case 'pass':
        this.#clock += action.ms;
        break;
      case 'consume':
      case 'reserve':
      case 'settle':
        await this.#request(action);
        break;
      case 'crowd':
        await this.#crowd(action.count, action.cost);
        break;
      case 'open':
        await this.#open(action.terms, action.anchored);
        break;
      case 'extend': {
        const known = this.#oracle.pools.filter(
          ({ terms }) => terms.until !== null && terms.every !== 'once',
        );
        const terms = known[action.of % Math.max(1, known.length)]?.terms;
        if (terms === undefined) break;
        const until = Math.max(terms.until ?? 0, this.#clock - 500) + action.days * DAY;
        await this.#change((oracle) => oracle.extended(terms.source, until));
        break;
      }
      case 'drop': {
        const known = this.#oracle.pools.filter(({ terms }) => terms.source !== 'given');
        const source = known[action.of % Math.max(1, known.length)]?.terms.source;
        if (source !== undefined) await this.#change((oracle) => oracle.without(source));
        break;
      }
      case 'grant':
        await this.#change((oracle) => oracle.granted(action.kind, action.credits));
        break;
      case 'tamper': {
        await this.#tamper(action.by);
        break;
      }
      default:
        action satisfies never;
    }
  }

  /** When a request that an instance gets now happens: a record's time only moves forward. */
  #instant(instance: number): number {
    const now = this.#clock + (CLOCKS_ARE_OFF[instance] ?? 0);
    return Math.max(now, (this.#service.record()?.updatedAt ?? 0) + 1);
  }

  /** What an instance's own clock says when it gets a request. */
  #clockOf(instance: number): number {
    this.#holds.ranAhead((this.#service.record()?.updatedAt ?? 0) + 1);
    return this.#clock + (CLOCKS_ARE_OFF[instance] ?? 0);
  }

  async #request(request: Request): Promise<void> {
    this.#counts.requests += 1;
    const { instance, lost } = request;
    const at = this.#instant(instance);
    const clock = this.#clockOf(instance);
    const { id, outcome } = this.#expected(request, at, clock);
    const isReplay = this.#recorded.get(id) !== undefined;
    const decision = await this.#service.send(instance, commandOf(request), clock, lost);
    const found = outcomeOf(decision);
    if (found !== outcome) throw new Error(`${id} at ${iso(at)}: it is ${found}, not ${outcome}`);
    if (LEAVES_NOTHING.has(outcome)) return;
    this.#recorded.set(id, outcome);
    if (!isReplay) this.#holds.written(clock);
    if (outcome === 'granted') this.#counts.granted += 1;
    const balance = this.#service.balanceOf(decision);
    const expected = this.#available(this.#oracle, at, clock);
    if (!isReplay && balance !== expected) {
      throw new Error(`${id} at ${iso(at)}: it answers ${balance}, not ${expected}`);
    }
  }

  /** What is to happen, and the oracle is brought there. */
  #expected(request: Request, at: number, clock: number): { readonly id: string; readonly outcome: string } {
    const bring =
      request.do === 'settle' || this.#free === null ? this.#oracle : this.#oracle.with(this.#free);
    const current = bring.at(at);
    const owned = current.spendable(at);
    const id = idOf(request);
    const known = this.#recorded.get(id);
    if (known !== undefined) return { id, outcome: known };
    switch (request.do) {
      case 'consume': {
        if (owned === null) return { id, outcome: 'free' };
        const isThere = (this.#available(current, at, clock) ?? 0) >= request.cost;
        this.#oracle = isThere ? current.spent(request.cost, at) : current;
        return { id, outcome: isThere ? 'granted' : 'exhausted' };
      }
      case 'reserve': {
        if (owned === null) return { id, outcome: 'free' };
        this.#oracle = current;
        return {
          id,
          ...this.#holds.reserve(reservationOf(request), request.cost, request.lifetime, owned, clock),
        };
      }
      case 'settle': {
        let after = current;
        const { as, used } = request;
        const asked =
          as === 'settle'
            ? ({ as, by: 'service', cost: used, overdraw: OVERDRAW } as const)
            : ({ as, by: 'user' } as const);
        const outcome = this.#holds.settle(reservationOf(request), asked, owned, clock, (held) => {
          after = current.spent(held, at);
        });
        if (!LEAVES_NOTHING.has(outcome)) this.#oracle = after;
        return { id, outcome };
      }
      default:
        return request satisfies never;
    }
  }

  async #crowd(count: number, cost: number): Promise<void> {
    this.#counts.requests += count;
    const at = this.#instant(0);
    const clock = this.#clockOf(0);
    this.#made += 1;
    const name = this.#made;
    const current = this.#oracle.at(at);
    const sent = Array.from({ length: count }, (_, index) => {
      const command = { kind: 'consume', key: `crowd${name}-${index}`, feature: `f${cost}`, cost } as const;
      return this.#service.send(index, command, this.#clock);
    });
    const outcomes = (await Promise.all(sent)).map(outcomeOf);
    const available = this.#available(current, at, clock);
    if (available === null) {
      if (outcomes.some((outcome) => outcome !== 'free')) throw new Error(`a crowd got ${outcomes.join()}`);
      return;
    }
    const right = Math.min(count, Math.floor(available / cost));
    const granted = outcomes.filter((outcome) => outcome === 'granted').length;
    this.#holds.written(clock);
    if (granted !== right) throw new Error(`of a crowd ${granted} were granted, not ${right}`);
    this.#counts.granted += granted;
    this.#oracle = Array.from({ length: right }).reduce<ClockOracle>((now) => now.spent(cost, at), current);
  }

  async #open({ from, until, ...terms }: PoolTerms, anchored: number): Promise<void> {
    this.#made += 1;
    const now = this.#clock - 500;
    const begins = now + from;
    const opened: PoolTerms = {
      ...terms,
      source: `${terms.kind}_${this.#made}`,
      anchor: terms.every === 'once' ? begins : now + anchored,
      from: begins,
      until: until === null ? null : now + until,
    };
    await this.#change((oracle) => oracle.with(opened));
  }

  /** As an event: the account is brought to its instant, changed there, and brought there again. */
  async #change(change: (oracle: ClockOracle) => ClockOracle): Promise<void> {
    const at = this.#instant(0);
    const after = change(this.#oracle.at(at));
    this.#oracle = after.at(at);
    await this.#service.change(this.#clock, ({ pools }) => {
      const next = after.pools.map(({ terms }) => {
        const known = pools.find(({ source }) => source === terms.source);
        return { ...(known ?? { left: 0, period: NOT_BEGUN }), ...terms };
      });
      const { allowance, pack } = after.beside ?? { allowance: 0, pack: 0 };
      return { beside: { allowance, packs: pack }, pools: next };
    });
  }

  /** Only the sum of it can be seen, once the service looks. */
  async #tamper(by: number): Promise<void> {
    const { updatedAt = 0 } = this.#service.record() ?? {};
    const { allowance } = this.#oracle.owned() ?? {};
    await this.#service.tamper(by);
    if (allowance === undefined) return;
    if (this.#tampered?.updatedAt !== updatedAt) {
      this.#tampered = { updatedAt, oracle: this.#oracle, allowance };
    }
    const { oracle, allowance: was } = this.#tampered;
    const is = Math.max(0, allowance + by);
    this.#oracle = is > was ? oracle.granted('allowance', is - was) : oracle.robbed(was - is);
  }

  /** @param clock of the instance: holds end by it, and the rest by the record's time */
  #available(oracle: ClockOracle, at: number, clock = at): number | null {
    const spendable = oracle.spendable(at);
    return spendable === null ? null : Math.max(0, spendable - this.#holds.heldAt(clock));
  }

  #stored(): string[] {
    const { creditsAllowance, packCreditsRemaining } = this.#service.record() ?? {};
    const owned = this.#oracle.owned();
    const found = `${creditsAllowance} and ${packCreditsRemaining}`;
    const right = `${owned?.allowance} and ${owned?.packs}`;
    return found === right ? [] : [`stored are ${found}, not ${right}`];
  }

  /** What pages show from now on, with nothing but the record that is stored. */
  #shown(): string[] {
    const from = this.#instant(0);
    return [0, 4 * 3_600_000, DAY, 29 * DAY, 62 * DAY].flatMap((later) => {
      const now = from + later;
      const shown = this.#service.shownAt(now);
      const found = shown === null ? null : shown.allowance + shown.packs;
      const right = this.#available(this.#oracle.at(now), now);
      return found === right ? [] : [`at ${iso(now)} a page shows ${found}, not ${right}`];
    });
  }
}

function commandOf(request: Request): Parameters<ClockService['send']>[1] {
  if (request.do === 'settle') {
    const reservation = reservationOf(request);
    if (request.as !== 'settle') return { kind: request.as, reservation };
    const measured = { amount: request.used };
    return { kind: 'settle', reservation, measured, features: FEATURES, by: 'process:model' };
  }
  const { cost } = request;
  const feature = `f${cost}`;
  if (request.do === 'consume') {
    return { kind: 'consume', key: `k${request.key}-${cost}`, feature, cost };
  }
  const { lifetime } = request;
  return { kind: 'reserve', key: reservationOf(request), feature, cost, lifetime };
}

function reservationOf(request: Extract<Request, { do: 'reserve' | 'settle' }>): string {
  return `r${request.key}`;
}

function idOf(request: Request): string {
  switch (request.do) {
    case 'consume':
      return `consume_k${request.key}-${request.cost}`;
    case 'reserve':
      return `reserve_${reservationOf(request)}`;
    case 'settle':
      return `settle_${reservationOf(request)}`;
    default:
      return request satisfies never;
  }
}

function outcomeOf(decision: CreditDecision): string {
  if (!('entry' in decision)) return decision.kind;
  return 'outcome' in decision.entry ? decision.entry.outcome : decision.entry.kind;
}

const iso = (at: number): string => new Date(at).toISOString();
