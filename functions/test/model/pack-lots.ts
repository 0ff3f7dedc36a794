import type { PurchaseTruth } from './truth.ts';

interface Lot {
  readonly purchase: PurchaseTruth;
  spent: number;
}

/**
 * Pack credits by the lots they were bought in. A lot holds what was bought, less what went back to the buyer
 * as money, less what was spent of it, and never less than nothing: so the debt of a spent pack that is
 * refunded is its own, and no other pack pays for it.
 */
export class LotPool {
  readonly #lots = new Map<string, Lot>();
  readonly #back = new Map<string, { seq: number; back: number }>();
  readonly #disputes = new Map<string, { seq: number; outcome: 'open' | 'won' | 'lost' }>();

  paid(purchase: PurchaseTruth): void {
    if (!this.#lots.has(purchase.id)) this.#lots.set(purchase.id, { purchase, spent: 0 });
  }

  moneyBack(id: string, seq: number, back: number): void {
    if (seq > (this.#back.get(id)?.seq ?? -1)) this.#back.set(id, { seq, back });
  }

  disputed(id: string, seq: number, outcome: 'open' | 'won' | 'lost'): void {
    if (seq > (this.#disputes.get(id)?.seq ?? -1)) this.#disputes.set(id, { seq, outcome });
  }

  isEmpty(): boolean {
    return this.#lots.size === 0;
  }

  isFullyBack(purchase: PurchaseTruth): boolean {
    const back = this.#back.get(purchase.id)?.back ?? 0;
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
      (a, b) => a.purchase.paidAt - b.purchase.paidAt || (a.purchase.id < b.purchase.id ? -1 : 1),
    );
    for (const lot of byPurchase) {
      const taken = Math.min(left, this.#remaining(lot));
      lot.spent += taken;
      left -= taken;
    }
    if (left > 0) throw new Error(`the model has ${left} pack credits too few`);
  }

  #isDisputed(id: string): boolean {
    const outcome = this.#disputes.get(id)?.outcome;
    return outcome === 'open' || outcome === 'lost';
  }

  #remaining({ purchase, spent }: Lot): number {
    const back = this.#back.get(purchase.id)?.back ?? 0;
    const clawed = this.#isDisputed(purchase.id)
      ? purchase.credits
      : purchase.amount === 0
        ? 0
        : Math.floor((purchase.credits * back) / purchase.amount);
    return Math.max(0, purchase.credits - clawed - spent);
  }
}
