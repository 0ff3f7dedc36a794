import type { Pool } from '@extension-billing/contract/schedule';
import { DAY, HOUR } from '@extension-billing/contract/time';
import type { PoolTerms } from './clock-history.ts';

const ENDLESS = Number.POSITIVE_INFINITY;

/** A pool as the oracle knows it: what is left of the newest period, and all that was ever spent of it. */
interface KnownPool {
  readonly terms: PoolTerms;
  /** Periods from the anchor to the newest that began; null before the first. */
  readonly index: number | null;
  readonly left: number;
  readonly spends: readonly { readonly at: number; readonly credits: number }[];
}

/**
 * Credits by the clock, written from docs/decisions/credits-by-the-clock.md alone: one period after the other from the first, with the
 * months of `Date`, and windows by adding up what was spent in them. It changes nothing: each step answers a new one.
 */
export class ClockOracle {
  /** Null: credits are not in use. */
  readonly beside: { readonly allowance: number; readonly pack: number } | null;
  readonly pools: readonly KnownPool[];

  constructor(beside: ClockOracle['beside'] = null, pools: readonly KnownPool[] = []) {
    this.beside = beside;
    this.pools = pools;
  }

  /** Time has come to `now`. */
  at(now: number): ClockOracle {
    return new ClockOracle(
      this.beside,
      this.pools.map((pool) => lapse(begin(pool, now), now)),
    );
  }

  /** With this pool, where there is none of its source. */
  with(terms: PoolTerms): ClockOracle {
    if (this.pools.some((pool) => pool.terms.source === terms.source)) return this;
    const pool: KnownPool = { terms, index: null, left: 0, spends: [] };
    return new ClockOracle(this.beside ?? { allowance: 0, pack: 0 }, [...this.pools, pool]);
  }

  without(source: string): ClockOracle {
    return new ClockOracle(
      this.beside,
      this.pools.filter((pool) => pool.terms.source !== source),
    );
  }

  extended(source: string, until: number): ClockOracle {
    const pools = this.pools.map((pool) =>
      pool.terms.source === source ? { ...pool, terms: { ...pool.terms, until } } : pool,
    );
    return new ClockOracle(this.beside, pools);
  }

  granted(kind: Pool['kind'], credits: number): ClockOracle {
    const { allowance, pack } = this.beside ?? { allowance: 0, pack: 0 };
    const beside =
      kind === 'allowance' ? { allowance: allowance + credits, pack } : { allowance, pack: pack + credits };
    return new ClockOracle(beside, this.pools);
  }

  /** Somebody took so much of the allowance: of what is beside the pools, then of the pools that end first. */
  robbed(credits: number): ClockOracle {
    if (this.beside === null) return this;
    const { allowance, pack } = this.beside;
    let due = Math.max(0, credits - allowance);
    const left = new Map<KnownPool, number>();
    for (const pool of this.#inOrder('allowance')) {
      left.set(pool, Math.max(0, pool.left - due));
      due = Math.max(0, due - pool.left);
    }
    const pools = this.pools.map((pool) => ({ ...pool, left: left.get(pool) ?? pool.left }));
    return new ClockOracle({ allowance: Math.max(0, allowance - credits), pack }, pools);
  }

  /** Takes credits now: no more than there are and limits let through. */
  spent(credits: number, now: number): ClockOracle {
    if (this.beside === null) return this;
    let due = credits;
    const beside = { ...this.beside };
    const spent = new Map<KnownPool, number>();
    for (const kind of ['allowance', 'pack'] as const) {
      const takeBeside = () => {
        const taken = Math.min(due, beside[kind]);
        beside[kind] -= taken;
        due -= taken;
      };
      const [sooner, never] = [
        this.#inOrder(kind).filter((pool) => endOf(pool) < ENDLESS),
        this.#inOrder(kind).filter((pool) => endOf(pool) === ENDLESS),
      ];
      for (const pool of [...sooner, ...never]) {
        const taken = Math.min(due, spendable(pool, now));
        spent.set(pool, taken);
        due -= taken;
      }
      // The model's accounts have no plan whose period ends, so what is beside the pools comes last.
      takeBeside();
    }
    const pools = this.pools.map((pool) => {
      const taken = spent.get(pool) ?? 0;
      if (taken === 0) return pool;
      return { ...pool, left: pool.left - taken, spends: [...pool.spends, { at: now, credits: taken }] };
    });
    return new ClockOracle(beside, pools);
  }

  /** What is owned; null where credits are not in use. */
  owned(): { readonly allowance: number; readonly packs: number } | null {
    if (this.beside === null) return null;
    const left = (kind: Pool['kind']) =>
      this.pools.reduce((sum, pool) => (pool.terms.kind === kind ? sum + pool.left : sum), 0);
    return { allowance: this.beside.allowance + left('allowance'), packs: this.beside.pack + left('pack') };
  }

  /** What no limit keeps back at `now`, held or not. */
  spendable(now: number): number | null {
    if (this.beside === null) return null;
    const pools = this.pools.reduce((sum, pool) => sum + spendable(pool, now), 0);
    return this.beside.allowance + this.beside.pack + pools;
  }

  #inOrder(kind: Pool['kind']): readonly KnownPool[] {
    return this.pools
      .filter((pool) => pool.terms.kind === kind)
      .sort((a, b) => endOf(a) - endOf(b) || (a.terms.source < b.terms.source ? -1 : 1));
  }
}

/** When the period of this number begins. */
function startOf({ anchor, every }: Pick<PoolTerms, 'anchor' | 'every'>, index: number): number {
  if (every === 'day') return anchor + index * DAY;
  if (every === 'week') return anchor + index * 7 * DAY;
  if (every === 'once') return index === 0 ? anchor : index * ENDLESS;
  if (every !== 'month') return anchor + index * Number(every.slice(0, -1)) * HOUR;
  const date = new Date(anchor);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + index];
  const days = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Math.min(date.getUTCDate(), days);
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds(), date.getUTCMilliseconds()];
  const [hours = 0, minutes = 0, seconds = 0, ms = 0] = time;
  return Date.UTC(year, month, day, hours, minutes, seconds, ms);
}

/** The number of the period that an instant is in, found by walking there. */
function indexAt(terms: Pick<PoolTerms, 'anchor' | 'every'>, at: number): number {
  const longest = terms.every === 'month' ? 31 * DAY : startOf(terms, 1) - startOf(terms, 0);
  let index = Math.floor((at - terms.anchor) / longest);
  while (startOf(terms, index) > at) index -= 1;
  while (startOf(terms, index + 1) <= at) index += 1;
  return index;
}

function begin(pool: KnownPool, now: number): KnownPool {
  const { terms } = pool;
  const { from, until, amount, rollover = 0 } = terms;
  let { index, left } = pool;
  const first = terms.every === 'once' ? 0 : indexAt(terms, from);
  for (;;) {
    const next: number = index === null ? first : index + 1;
    const begins = Math.max(from, startOf(terms, next));
    if (begins > now || begins >= (until ?? ENDLESS)) return { ...pool, index, left };
    left = amount + Math.min(rollover, left);
    index = next;
  }
}

function lapse(pool: KnownPool, now: number): KnownPool {
  return now >= endOf(pool) ? { ...pool, left: 0 } : pool;
}

function endOf({ terms, index }: KnownPool): number {
  if (terms.every === 'once') return terms.until ?? ENDLESS;
  // Of one that has not begun nothing is left, so its place does not matter; a period of the year 1970 is long over.
  if (index === null) return 0;
  const end = startOf(terms, index + 1);
  const { until, grace } = terms;
  if (until === null || grace === undefined) return end;
  return end >= until ? until + grace : end;
}

function spendable({ terms, left, spends }: KnownPool, now: number): number {
  const rests = (terms.limits ?? []).map(({ amount, every }) => {
    const window = { anchor: terms.anchor, every };
    const begins = startOf(window, indexAt(window, now));
    const spent = spends.filter(({ at }) => at >= begins).reduce((sum, { credits }) => sum + credits, 0);
    return Math.max(0, amount - spent);
  });
  return Math.min(left, ...rests);
}
