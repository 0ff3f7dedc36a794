import type { DisputeOutcome, PurchaseTruth } from './truth.ts';

interface Lot {
  readonly purchase: PurchaseTruth;
  /** Seconds; the earliest stamp known. */
  created: number;
  /** Which telling it was, for what shares a second. */
  readonly told: number;
  spent: number;
}

/**
 * Pack credits by the lots they were bought in. Money that goes back takes its share of credits: from its own lot,
 * and where that was spent from lots that were there before; never more than there is, and never from a later lot.
 */
export class LotPool {
  readonly #lots = new Map<string, Lot>();
  readonly #totals = new Map<string, Map<number, number>>();
  readonly #failures = new Map<string, Map<number, number>>();
  readonly #disputes = new Map<string, { seq: number; outcome: DisputeOutcome; disputed: number }>();

  /** When money first went back, by purchase: the earliest stamp, and the first telling. */
  readonly #since = new Map<string, { created: number; readonly told: number }>();
  readonly #revoked = new Set<string>();
  #tellings = 0;

  paid(purchase: PurchaseTruth, created: number): void {
    this.#tellings += 1;
    const lot = this.#lots.get(purchase.id);
    if (lot === undefined) this.#lots.set(purchase.id, { purchase, created, told: this.#tellings, spent: 0 });
    else lot.created = Math.min(lot.created, created);
  }

  moneyBack(id: string, seq: number, back: number, created: number): void {
    this.#goesBack(id, created);
    this.#totals.set(id, new Map(this.#totals.get(id)).set(seq, back));
  }

  /** What was given is taken back, as far as it is left. */
  revoked(id: string, created: number): void {
    this.#goesBack(id, created);
    this.#revoked.add(id);
  }

  refundFailed(id: string, seq: number, amount: number): void {
    this.#goesBack(id, Number.POSITIVE_INFINITY);
    this.#failures.set(id, new Map(this.#failures.get(id)).set(seq, amount));
  }

  disputed(id: string, seq: number, outcome: DisputeOutcome, disputed: number, created: number): void {
    this.#goesBack(id, created);
    if (seq > (this.#disputes.get(id)?.seq ?? -1)) this.#disputes.set(id, { seq, outcome, disputed });
  }

  isEmpty(): boolean {
    return this.#lots.size === 0;
  }

  isFullyBack(purchase: PurchaseTruth): boolean {
    return purchase.amount > 0 && this.#gone(purchase.id) >= purchase.amount;
  }

  total(): number {
    let total = 0;
    for (const left of this.#left().values()) total += left;
    return total;
  }

  /** Takes credits from the lots, the one that was bought first before the others. */
  spend(credits: number): void {
    const left = this.#left();
    let due = credits;
    for (const lot of this.#byPurchase()) {
      const taken = Math.min(due, left.get(lot.purchase.id) ?? 0);
      lot.spent += taken;
      due -= taken;
    }
    if (due > 0) throw new Error(`the model has ${due} pack credits too few`);
  }

  #goesBack(id: string, created: number): void {
    this.#tellings += 1;
    const since = this.#since.get(id);
    if (since === undefined) this.#since.set(id, { created, told: this.#tellings });
    else since.created = Math.min(since.created, created);
  }

  #byPurchase(): Lot[] {
    return [...this.#lots.values()].sort(
      (a, b) => a.created - b.created || (a.purchase.id < b.purchase.id ? -1 : 1),
    );
  }

  /** What each lot has left, by taking one credit after the other off where a refund finds one. */
  #left(): Map<string, number> {
    const lots = this.#byPurchase();
    const left = new Map(lots.map(({ purchase, spent }) => [purchase.id, purchase.credits - spent]));
    const debts = lots
      .map((lot) => ({ lot, due: this.#clawed(lot), since: this.#since.get(lot.purchase.id) }))
      .filter(({ due }) => due > 0)
      .sort((a, b) => stampOf(a.since) - stampOf(b.since) || (a.since?.told ?? 0) - (b.since?.told ?? 0));
    for (const { lot, due, since } of debts) {
      const isThere = (other: Lot) =>
        other.created < stampOf(since) ||
        (other.created === stampOf(since) && other.told < (since?.told ?? 0));
      const others = this.#revoked.has(lot.purchase.id) ? [] : lots;
      const payers = [lot, ...others.filter((other) => other !== lot && isThere(other))];
      for (let credit = 0; credit < due; credit += 1) {
        const payer = payers.find(({ purchase }) => (left.get(purchase.id) ?? 0) > 0);
        if (payer === undefined) break;
        left.set(payer.purchase.id, (left.get(payer.purchase.id) ?? 0) - 1);
      }
    }
    return left;
  }

  /** What the buyer has back: the newest total that was reported, less what failed since. */
  #moneyBack(id: string): number {
    const totals = this.#totals.get(id) ?? new Map<number, number>();
    const newest = Math.max(-1, ...totals.keys());
    let back = totals.get(newest) ?? 0;
    for (const [seq, amount] of this.#failures.get(id) ?? []) if (seq > newest) back -= amount;
    return Math.max(0, back);
  }

  /** What the seller does not have: refunded, or held by a dispute that is not won. */
  #gone(id: string): number {
    const { outcome, disputed } = this.#disputes.get(id) ?? { outcome: 'won', disputed: 0 };
    return this.#moneyBack(id) + (outcome === 'won' ? 0 : disputed);
  }

  #clawed({ purchase }: Lot): number {
    if (this.#revoked.has(purchase.id)) return purchase.credits;
    if (purchase.amount === 0) return 0;
    const gone = Math.min(this.#gone(purchase.id), purchase.amount);
    return Math.floor((purchase.credits * gone) / purchase.amount);
  }
}

function stampOf(since: { readonly created: number } | undefined): number {
  return since?.created ?? 0;
}
