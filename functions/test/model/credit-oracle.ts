/** What is expected of a reserve: as of a consume, but nothing is spent. */
export interface ExpectedReserve {
  readonly outcome: 'free' | 'granted' | 'exhausted';
}
export type ExpectedEnd = 'free' | 'unknown' | 'confirm' | 'release' | 'expiry';

interface Hold {
  readonly cost: number;
  readonly expiresAt: number;
}

/**
 * The reservations of one customer, one request after the other, by the clock that is given: written from decision
 * 0050 alone. It knows nothing of where the credits come from; the oracle around it does.
 */
export class HoldBook {
  readonly #open = new Map<string, Hold>();
  readonly #answers = new Map<string, ExpectedReserve>();
  readonly #ends = new Map<string, Exclude<ExpectedEnd, 'free' | 'unknown'>>();

  /** What is held at this time, by reservation. */
  openAt(now: number): ReadonlyMap<string, number> {
    const open = [...this.#open].filter(([, { expiresAt }]) => expiresAt > now);
    return new Map(open.map(([reservation, { cost }]) => [reservation, cost]));
  }

  heldAt(now: number): number {
    let held = 0;
    for (const cost of this.openAt(now).values()) held += cost;
    return held;
  }

  /** @param owned null for an account without credits */
  reserve(key: string, cost: number, lifetime: number, owned: number | null, now: number): ExpectedReserve {
    const before = this.#answers.get(key);
    if (before !== undefined) return before;
    if (owned === null) return { outcome: 'free' };
    const isThere = owned - this.heldAt(now) >= cost;
    if (isThere) this.#open.set(key, { cost, expiresAt: now + lifetime });
    const answer: ExpectedReserve = { outcome: isThere ? 'granted' : 'exhausted' };
    this.#answers.set(key, answer);
    return answer;
  }

  /** Refusals that are as old as the store keeps them are decided anew. */
  forgetRefusals(): void {
    for (const [key, { outcome }] of this.#answers) if (outcome === 'exhausted') this.#answers.delete(key);
  }

  /** How the reservation ends, or ended before; `confirm` is called with the credits that were held, once. */
  settle(
    reservation: string,
    as: 'confirm' | 'release',
    owned: number | null,
    now: number,
    confirm: (held: number) => void,
  ): ExpectedEnd {
    const before = this.#ends.get(reservation);
    if (before !== undefined) return before;
    if (owned === null) return 'free';
    if (this.#answers.get(reservation)?.outcome !== 'granted') return 'unknown';
    const hold = this.#open.get(reservation);
    const isAlive = hold !== undefined && hold.expiresAt > now;
    const end = isAlive ? as : 'expiry';
    this.#open.delete(reservation);
    this.#ends.set(reservation, end);
    if (end === 'confirm' && hold !== undefined) confirm(hold.cost);
    return end;
  }
}
