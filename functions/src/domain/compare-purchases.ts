import type { Difference } from './difference.ts';
import { UNORDERED_WITHIN } from './events.ts';
import { type Facts, reduce } from './facts.ts';
import { IMPORTED } from './imported.ts';
import type { ProviderView, RefundsNow, ToldFact } from './provider-view.ts';
import type { Purchase } from './purchase.ts';
import { clawedOf, isFullyRefunded } from './purchase.ts';

/** One-time purchases: paid or not, and what of each went back to the buyer. */
export function comparePurchases(facts: Facts, view: ProviderView): readonly Difference[] {
  const told = new Map<string, ToldFact[]>();
  const tell = (purchase: string, facts: readonly ToldFact[]) =>
    told.set(purchase, [...(told.get(purchase) ?? []), ...facts]);
  for (const each of view.purchases) if ('purchase' in each.fact) tell(each.fact.purchase, [each]);
  for (const each of view.refunds) tell(each.purchase, refundFacts(facts, each));

  const changed = [...told].flatMap(([purchase, tellings]): readonly Difference[] => {
    const { after, news } = apply(facts, tellings);
    const here = describePurchase(facts.purchases[purchase]);
    const should = describePurchase(after.purchases[purchase]);
    if (here === should) return [];
    return [{ kind: 'purchase', about: purchase, here, should, repair: { kind: 'facts', facts: news } }];
  });
  const unknown = Object.entries(facts.purchases).flatMap(([id, purchase]): readonly Difference[] => {
    if (id === IMPORTED || told.has(id) || purchase.paidAt === null) return [];
    const why = 'the provider does not list it; look it up there';
    const here = describePurchase(purchase);
    return [{ kind: 'purchase', about: id, here, should: 'not listed', repair: { kind: 'none', why } }];
  });
  return [...changed, ...unknown];
}

/** Disputes on the payments of subscriptions' invoices. */
export function compareDisputes(facts: Facts, { disputedInvoices }: ProviderView): readonly Difference[] {
  return disputedInvoices.flatMap((told): readonly Difference[] => {
    if (told.fact.kind !== 'invoice_disputed') return [];
    const { invoice, dispute } = told.fact;
    const { after, news } = apply(facts, [told]);
    const here = describeDispute(facts, invoice, dispute);
    const should = describeDispute(after, invoice, dispute);
    if (here === should) return [];
    return [{ kind: 'dispute', about: dispute, here, should, repair: { kind: 'facts', facts: news } }];
  });
}

function describeDispute({ disputedInvoices }: Facts, invoice: string, id: string): string {
  const { amount, disputes = {} } = disputedInvoices[invoice] ?? {};
  const known = disputes[id];
  if (known === undefined) return 'not known';
  const state = known.won ? 'won' : 'open or lost';
  return `${state}, ${known.disputed ?? 'all'} of ${amount} of ${invoice}`;
}

/** The facts after all that was told, and those of it that say something new. */
function apply(facts: Facts, tellings: readonly ToldFact[]) {
  const news: ToldFact[] = [];
  let after = facts;
  for (const told of tellings) {
    const reduced = reduce(after, told.fact, told.customer);
    if (reduced.kind === 'undecidable') continue;
    if (moneyIn(reduced.facts) !== moneyIn(after)) news.push(told);
    after = reduced.facts;
  }
  return { after, news };
}

function moneyIn({ purchases, disputedInvoices }: Facts): string {
  return JSON.stringify([purchases, disputedInvoices]);
}

/**
 * The refunds of a charge as its events would have told them. When a refund failed stands nowhere in a list,
 * only that it did: so its level is put back on top, and taken off by a failure that follows the newest refund.
 */
function refundFacts(facts: Facts, now: RefundsNow): readonly ToldFact[] {
  const { customer, purchase, charge, product, amount, newestAt } = now;
  const known = facts.purchases[purchase]?.failures ?? {};
  const failed = now.failed.map(({ refund, amount }) => ({
    amount,
    refund,
    at: known[refund]?.at ?? newestAt + UNORDERED_WITHIN + 1000,
  }));
  const later = failed.filter(({ at }) => at >= newestAt);
  const refunded = later.reduce((sum, { amount }) => sum + amount, now.refunded);
  const level = { kind: 'charge_refunded', purchase, charge, product, amount, refunded } as const;
  return [
    { customer, fact: { ...level, at: newestAt } },
    ...failed.map((failure) => ({
      customer,
      fact: { kind: 'refund_failed', purchase, ...failure } as const,
    })),
  ];
}

function describePurchase(purchase: Purchase | undefined): string {
  if (purchase === undefined || (purchase.paidAt === null && purchase.amount === null)) return 'not known';
  const paid = purchase.paidAt === null ? 'not paid' : 'paid';
  if (purchase.product !== 'pack') {
    return `${purchase.product}, ${paid}${isFullyRefunded(purchase) ? ', money back' : ''}`;
  }
  const clawed = clawedOf(purchase);
  return `pack of ${purchase.credits}, ${paid}${clawed > 0 ? `, ${clawed} clawed back` : ''}`;
}
