import type { PurchaseTruth } from './truth.ts';

interface Lot {
  readonly purchase: PurchaseTruth;
  /** Seconds; the earliest stamp known. */
  created: number;
  spent: number;
}

/**
 * Pack credits by the lots they were bought in. A lot holds what was bought, less what went back to the buyer
 * as money, less what was spent of it, and never less than nothing: so the debt of a spent pack that is
 * refunded is its own, and no other pack pays for it.
 */
export class LotPool {
  readonly #lots = new Map<string, Lot>();
  readonly #totals = new Map<string, Map<number, number>>();
  readonly #failures = new Map<string, Map<number, number>>();
  readonly #disputes = new Map<string, { seq: number; outcome: 'open' | 'won' | 'lost' }>();

  paid(purchase: PurchaseTruth, created: number): void {
    const lot = this.#lots.get(purchase.id);
    if (lot === undefined) this.#lots.set(purchase.id, { purchase, created, spent: 0 });
    else lot.created = Math.min(lot.created, created);
  }

  moneyBack(id: string, seq: number, back: number): void {
    this.#totals.set(id, new Map(this.#totals.get(id)).set(seq, back));
  }

  refundFailed(id: string, seq: number, amount: number): void {
    this.#failures.set(id, new Map(this.#failures.get(id)).set(seq, amount));
  }

  disputed(id: string, seq: number, outcome: 'open' | 'won' | 'lost'): void {
    if (seq > (this.#disputes.get(id)?.seq ?? -1)) this.#disputes.set(id, { seq, outcome });
  }

  isEmpty(): boolean {
    return this.#lots.size === 0;
  }

  isFullyBack(purchase: PurchaseTruth): boolean {
    const back = this.#moneyBack(purchase.id);
    return this.#isDisputed(purchase.id) || (purchase.amount > 0 && back >= purchase.amount);
  }

  total(): number {
    let total = 0;
    for (const lot of this.#lots.values()) total += this.#remaining(lot);
    return total;
  }

  /** Takes credits from the lots, the one that was bought first before the others. */
  spend(credits: number): void {
    let left = credits;
    const byPurchase = [...this.#lots.values()].sort(
      (a, b) => a.created - b.created || (a.purchase.id < b.purchase.id ? -1 : 1),
    );
    for (const lot of byPurchase) {
      const taken = Math.min(left, this.#remaining(lot));
      lot.spent += taken;
      left -= taken;
    }
    if (left > 0) throw new Error(`the model has ${left} pack credits too few`);
  }

  /** What the buyer has back: the newest total that was reported, less what failed since. */
  #moneyBack(id: string): number {
    const totals = this.#totals.get(id) ?? new Map<number, number>();
    const newest = Math.max(-1, ...totals.keys());
    let back = totals.get(newest) ?? 0;
    for (const [seq, amount] of this.#failures.get(id) ?? []) if (seq > newest) back -= amount;
    return Math.max(0, back);
  }

  #isDisputed(id: string): boolean {
    const outcome = this.#disputes.get(id)?.outcome;
    return outcome === 'open' || outcome === 'lost';
  }

  #remaining({ purchase, spent }: Lot): number {
    const back = this.#moneyBack(purchase.id);
    const clawed = this.#isDisputed(purchase.id)
      ? purchase.credits
      : purchase.amount === 0
        ? 0
        : Math.floor((purchase.credits * back) / purchase.amount);
    return Math.max(0, purchase.credits - clawed - spent);
  }
}
