import { isPlanKey } from '@extension-billing/contract/pricing';
import type { Stripe } from 'stripe';
import type { Fact } from '../domain/events.ts';
import { isNotFound } from './failure.ts';
import { readMetadata } from './metadata.ts';
import type { InvoiceQuestion, ServiceLine } from './told.ts';
import { type AllowancePaid, allowanceOf, translateInvoice } from './translate-invoice.ts';

/**
 * The fact with what its invoice left open, as the provider has it now. Asked outside of any transaction, and nothing
 * is asked where `ask` is null. What the provider does not know stays as the invoice said it.
 *
 * @param asked prices that were asked for already; who completes many invoices has one for all
 * @throws the SDK's error when the provider cannot be asked.
 */
export async function completeInvoice(
  stripe: () => Promise<Stripe>,
  fact: Fact,
  ask: InvoiceQuestion | null,
  asked: AskedPrices = new Map(),
): Promise<Fact> {
  if (ask === null) return fact;
  switch (ask.kind) {
    case 'lines': {
      const invoice = await withAllLines(await stripe(), ask.invoice);
      if (invoice === null) return fact;
      const told = translateInvoice(invoice, ask.at);
      return completeInvoice(stripe, told.fact, told.ask, asked);
    }
    case 'prices':
      return fact.kind === 'allowance_paid' ? withPrices(await stripe(), fact, ask.lines, asked) : fact;
    default:
      return ask satisfies never;
  }
}

/** Null: the provider has no such invoice. */
async function withAllLines(stripe: Stripe, invoice: Stripe.Invoice): Promise<Stripe.Invoice | null> {
  const data: Stripe.InvoiceLineItem[] = [];
  try {
    for await (const line of stripe.invoices.listLineItems(invoice.id, { limit: 100 })) data.push(line);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
  return { ...invoice, lines: { ...invoice.lines, data, has_more: false } };
}

type Priced = ServiceLine & { readonly price: string };

/** The line of a plan of the catalogue is the service, else the one whose price grants most; of equals the first. */
async function withPrices(
  stripe: Stripe,
  fact: AllowancePaid,
  lines: readonly Priced[],
  asked: AskedPrices,
): Promise<AllowancePaid> {
  for (const { price } of lines) {
    if (!asked.has(price)) asked.set(price, await planPriceOf(stripe, price));
  }
  const known = lines.flatMap((line) => {
    const price = asked.get(line.price) ?? null;
    return price === null ? [] : [{ ...line, ...price }];
  });
  const [best] = known.sort((a, b) => Number(b.isPlan) - Number(a.isPlan) || b.credits - a.credits);
  if (best === undefined) return fact;
  return {
    ...fact,
    periodStart: best.start ?? fact.periodStart,
    periodEnd: best.end ?? fact.periodEnd,
    credits: allowanceOf(best.credits, best.quantity),
  };
}

/** By price; null for one that the provider does not know. */
export type AskedPrices = Map<string, PlanPrice | null>;

interface PlanPrice {
  readonly credits: number;
  readonly isPlan: boolean;
}

/** Null: the provider does not know the price. */
async function planPriceOf(stripe: Stripe, id: string): Promise<PlanPrice | null> {
  try {
    const { metadata, lookup_key } = await stripe.prices.retrieve(id);
    return { credits: readMetadata(metadata).monthlyCredits ?? 0, isPlan: isPlanKey(lookup_key) };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
