/** What is expected of a reserve: as of a consume, but nothing is spent. */
export interface ExpectedReserve {
  readonly outcome: 'free' | 'granted' | 'exhausted';
}
export type ExpectedEnd = 'free' | 'unknown' | 'above_hold' | 'confirm' | 'release' | 'expiry';

/** Who holds, or ends what is held. */
export type Asker = 'user' | 'service';

/** An end that is asked for. */
export interface AskedEnd {
  readonly as: 'confirm' | 'release' | 'settle';
  readonly by: Asker;
  /** Of a settle: the credits that were used, and how far beyond those that are held it may go. */
  readonly cost?: number;
  readonly overdraw?: number;
}

interface Hold {
  readonly cost: number;
  readonly expiresAt: number;
}

/**
 * The reservations of one customer, one request after the other, by the clock that is given: written from
 * docs/decisions/reservations.md and service-callers.md alone. It knows nothing of where the credits come from; the oracle around it does.
 */
export class HoldBook {
  readonly #open = new Map<string, Hold>();
  readonly #answers = new Map<string, ExpectedReserve>();
  readonly #ends = new Map<string, Exclude<ExpectedEnd, 'free' | 'unknown' | 'above_hold'>>();
  readonly #ofServices = new Set<string>();
  #writtenAt = 0;

  /** The record was written with a time that is ahead. */
  ranAhead(at: number): void {
    this.#writtenAt = Math.max(this.#writtenAt, at);
  }

  /** An instance wrote the record: what has expired by its clock isn't held any more, whatever other clocks say. */
  written(now: number): void {
    const at = this.clockAt(now);
    for (const [reservation, { expiresAt }] of this.#open)
      if (expiresAt <= at) this.#open.delete(reservation);
  }

  /** The time by which holds begin and end: they follow a record that is ahead by a minute at most. */
  clockAt(now: number): number {
    return Math.min(Math.max(now, this.#writtenAt), now + 60_000);
  }

  /** What is held at this time, by reservation. */
  openAt(now: number): ReadonlyMap<string, number> {
    const open = [...this.#open].filter(([, { expiresAt }]) => expiresAt > this.clockAt(now));
    return new Map(open.map(([reservation, { cost }]) => [reservation, cost]));
  }

  heldAt(now: number): number {
    let held = 0;
    for (const cost of this.openAt(now).values()) held += cost;
    return held;
  }

  /** @param owned null for an account without credits */
  reserve(
    key: string,
    cost: number,
    lifetime: number,
    owned: number | null,
    now: number,
    by: Asker = 'user',
  ): ExpectedReserve {
    const before = this.#answers.get(key);
    if (before !== undefined) return before;
    if (owned === null) return { outcome: 'free' };
    const isThere = owned - this.heldAt(now) >= cost;
    if (isThere) this.#open.set(key, { cost, expiresAt: this.clockAt(now) + lifetime });
    const answer: ExpectedReserve = { outcome: isThere ? 'granted' : 'exhausted' };
    this.#answers.set(key, answer);
    if (by === 'service') this.#ofServices.add(key);
    return answer;
  }

  /** Refusals that are as old as the store keeps them are decided anew. */
  forgetRefusals(): void {
    for (const [key, { outcome }] of this.#answers) if (outcome === 'exhausted') this.#answers.delete(key);
  }

  /** How the reservation ends, or ended before; `take` is called with the credits that it takes, once. */
  settle(
    reservation: string,
    { as, by, cost = 0, overdraw = 0 }: AskedEnd,
    owned: number | null,
    now: number,
    take: (credits: number) => void,
  ): ExpectedEnd {
    if (by === 'user' && (as === 'settle' || this.#ofServices.has(reservation))) return 'unknown';
    const before = this.#ends.get(reservation);
    if (before !== undefined) return before;
    if (owned === null) return 'free';
    if (this.#answers.get(reservation)?.outcome !== 'granted') return 'unknown';
    const hold = this.#open.get(reservation);
    const isAlive = hold !== undefined && hold.expiresAt > this.clockAt(now);
    if (isAlive && as === 'settle' && cost > hold.cost + overdraw) return 'above_hold';
    const unheld = Math.max(0, owned - this.heldAt(now));
    const end = !isAlive ? 'expiry' : as === 'release' ? 'release' : 'confirm';
    this.#open.delete(reservation);
    this.#ends.set(reservation, end);
    if (end !== 'confirm' || hold === undefined) return end;
    const asked = as === 'settle' ? cost : hold.cost;
    const beyond = Math.min(unheld, Math.max(0, asked - hold.cost));
    take(Math.min(asked, hold.cost) + beyond);
    return end;
  }
}
