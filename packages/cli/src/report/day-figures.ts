/** What is counted for one day (UTC), or for all of them. Whole numbers; credits, where nothing else is said. */
export interface Figures {
  readonly grantedAllowance: number;
  readonly grantedPacks: number;
  readonly spent: number;
  /** Taken back with money that went back. */
  readonly clawedBack: number;
  /** Allowance that was left when a new one replaced it, or when its plan ended. */
  readonly expired: number;
  /** What no purchase and no spend explains: a refund that failed, an imported account, a correction. May be negative. */
  readonly adjusted: number;
  /** Credits that reservations put aside. */
  readonly held: number;
  /** Credits of reservations that were settled too late, and so freed themselves. */
  readonly lapsed: number;
  /** Spends that were granted. */
  readonly spends: number;
  /** Spends and reservations that the balance did not cover. */
  readonly refused: number;
  /** Packs that were paid for. */
  readonly packs: number;
  readonly lifetimes: number;
  /** Paid invoices of subscriptions, from the event markers: only as far back as those are kept. */
  readonly invoices: number;
  /** Refunds of packs and lifetime plans. */
  readonly refunds: number;
  /** The money of these refunds, in minor currency units. */
  readonly refundedAmount: number;
  readonly disputes: number;
}

export type Figure = keyof Figures;

export const NOTHING: Figures = {
  grantedAllowance: 0,
  grantedPacks: 0,
  spent: 0,
  clawedBack: 0,
  expired: 0,
  adjusted: 0,
  held: 0,
  lapsed: 0,
  spends: 0,
  refused: 0,
  packs: 0,
  lifetimes: 0,
  invoices: 0,
  refunds: 0,
  refundedAmount: 0,
  disputes: 0,
};

export function add(to: Figures, more: Partial<Figures>): Figures {
  const sums = (Object.keys(NOTHING) as Figure[]).map((figure) => [figure, to[figure] + (more[figure] ?? 0)]);
  return Object.fromEntries(sums) as unknown as Figures;
}

/** By how much the credits of all accounts changed: what the ledger's deltas add up to. */
export function netOf(figures: Figures): number {
  const { grantedAllowance, grantedPacks, adjusted, spent, clawedBack, expired } = figures;
  return grantedAllowance + grantedPacks + adjusted - spent - clawedBack - expired;
}
