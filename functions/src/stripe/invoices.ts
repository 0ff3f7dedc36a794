import { type Catalog, isPlanKey } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import type { ClockTerms } from '@extension-billing/contract/schedule';
import { timesTerms } from '@extension-billing/contract/sold-terms';
import type { Stripe } from 'stripe';
import { isNotFound } from './client.ts';
import type { Billed, Fact, Upgrade } from './facts.ts';
import {
  type InvoiceQuestion,
  idOf,
  type MetadataMap,
  type ObjectFact,
  type PurchaseMetadata,
  readInstant,
  readMetadata,
  rowsOf,
  type ServiceLine,
} from './fields.ts';
import { type Seller, saleOf, soldAt } from './sale.ts';

/** Reasons that alone say that a period is paid for. None at all: before an invoice said why. */
const PERIODIC: ReadonlySet<unknown> = new Set(['subscription_create', 'subscription_cycle', undefined]);

/** Bills what was used so far, within a period. */
const WITHIN_PERIOD = 'subscription_threshold';

/** Before 2025-03-31 an invoice named its subscription at the root. */
type OlderInvoice = Stripe.Invoice & {
  readonly subscription?: string | { readonly id: string } | null;
  readonly subscription_details?: { readonly metadata?: Record<string, string> | null } | null;
};

type AllowancePaid = Extract<Fact, { kind: 'allowance_paid' }>;

/** A paid invoice; `ask` is null where it says all that counts. */
type InvoiceFact = ObjectFact & { readonly ask: InvoiceQuestion | null };

/** The subscription of an invoice: null if the provider has none, undefined if it has not been asked for. */
type OwnerOfInvoice = Pick<Stripe.Subscription, 'metadata' | 'items'> | null | undefined;

/**
 * A paid invoice. One that pays for a whole period brings that period's allowance, whatever it was made for: the first
 * one (a trial's costs $0 and grants as well), a renewal, a trial that was ended, a switch that starts a new period.
 * Prorations, one-off lines and add-ons bring none and take none (docs/decisions/changes-of-plan.md).
 *
 * An invoice copies its subscription's metadata when it is made: nothing of ours if `billing import` took the subscription
 * over since. Then the subscription says what was sold (docs/decisions/import.md).
 */
export function translateInvoice(
  invoice: OlderInvoice,
  at: Millis,
  seller: Seller,
  owner?: OwnerOfInvoice,
): InvoiceFact {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const isNameless = saleOf({ metadata: [details?.metadata] }, seller).uid === undefined;
  const isPeriodic = PERIODIC.has(invoice.billing_reason);
  const lines = serviceLinesOf(invoice.lines).filter(({ isSaid }) => isSaid || isPeriodic);
  const { uid, said: metadata } = saleOf(
    {
      metadata: [
        lines[0]?.metadata,
        invoice.metadata,
        details?.metadata,
        isNameless ? ownMetadataOf(owner, seller) : null,
      ],
      prices: lines.flatMap(({ price }) => (price === null ? [] : [{ id: price }])),
    },
    seller,
  );
  const whose = { uid, customer: idOf(invoice.customer) };
  const nothing: InvoiceFact = { ...whose, fact: { kind: 'customer_seen', at }, ask: null };
  const subscription = idOf(invoice.parent?.subscription_details?.subscription ?? invoice.subscription);
  if (subscription === null || typeof invoice.id !== 'string' || invoice.billing_reason === WITHIN_PERIOD) {
    return nothing;
  }
  const chosen = chooseLine(lines, metadata);
  const isCut = invoice.lines?.has_more === true && chosen.kind !== 'bought';
  const ask: InvoiceQuestion | null = isCut
    ? { kind: 'lines', invoice, at }
    : isNameless && owner === undefined && chosen.kind === 'other'
      ? { kind: 'subscription', subscription, invoice, at }
      : questionOf(chosen);
  if (lines.length === 0 && !isPeriodic) return { ...nothing, ask };

  const invoiceCreated = readInstant(invoice.created) ?? at;
  const [line = null] = chosen.lines;
  const paid: AllowancePaid = {
    kind: 'allowance_paid',
    subscription,
    invoice: invoice.id,
    // `invoice.period_*` is when usage was collected; the service period is the line's.
    periodStart: line?.start ?? readInstant(invoice.period_start) ?? invoiceCreated,
    periodEnd: line?.end ?? null,
    amountPaid: amountOf(invoice.amount_paid),
    invoiceCreated,
    renews: !FIRST.has(invoice.billing_reason),
    ...(invoice.billing_reason === 'subscription_update' && { changes: true }),
    ...(chosen.kind !== 'other' && { bySale: true }),
    ...allowanceIn(chosen, metadata),
    billed: billedOf(line?.price ?? (chosen.kind === 'other' ? null : metadata.priceId), line?.quantity),
    at,
  };
  return { ...whose, fact: paid, ask };
}

/** What a subscription says of its sale, if it is this service's. */
function ownMetadataOf(owner: OwnerOfInvoice, seller: Seller): MetadataMap | null {
  if (owner === null || owner === undefined) return null;
  const prices = rowsOf(owner.items).flatMap(({ price }) => price ?? []);
  const { said } = saleOf({ metadata: [owner.metadata], prices }, seller);
  return said.project === undefined ? null : owner.metadata;
}

/** An invoice of a subscription's beginning; none at all: before an invoice said why. */
const FIRST: ReadonlySet<unknown> = new Set(['subscription_create', undefined]);

/**
 * The lines that may be the service's: found by price, since dates and order say nothing. The metadata was written for
 * the price that was bought at checkout; where the invoice bills others, the plan was switched at the provider or made
 * there, and the price that grants most is the service.
 */
type Chosen =
  | { readonly kind: 'bought'; readonly lines: readonly ServiceLine[] }
  /** The metadata names the credits and no price: whichever line it is, those count. */
  | { readonly kind: 'unnamed'; readonly lines: readonly ServiceLine[] }
  | { readonly kind: 'other'; readonly lines: readonly ServiceLine[] };

function chooseLine(lines: readonly ServiceLine[], { priceId, monthlyCredits }: PurchaseMetadata): Chosen {
  const bought = lines.filter(({ price }) => price !== null && price === priceId);
  if (bought.length > 0) return { kind: 'bought', lines: bought };
  if (priceId === undefined && monthlyCredits !== undefined) return { kind: 'unnamed', lines };
  const known = [...lines].sort((a, b) => ownCredits(b) - ownCredits(a));
  return { kind: 'other', lines: known };
}

function ownCredits({ priceMetadata }: ServiceLine): number {
  return priceMetadata?.monthlyCredits ?? 0;
}

function questionOf({ kind, lines }: Chosen): InvoiceQuestion | null {
  if (kind !== 'other') return null;
  const open = lines.flatMap((line) => (line.price === null ? [] : [{ ...line, price: line.price }]));
  return open.some(({ priceMetadata }) => priceMetadata === null) ? { kind: 'prices', lines: open } : null;
}

/** What the invoice itself says of its credits; the answer to its question, where it has one, says better. */
function allowanceIn({ kind, lines }: Chosen, metadata: PurchaseMetadata): Allowance {
  const [line] = lines;
  const own = kind === 'other' ? line?.priceMetadata : null;
  // A plan without credits starts its period with none: what an earlier plan left does not roll over.
  const { monthlyCredits: credits = 0, terms } = own ?? metadata;
  return allowanceOf({ credits, terms }, line?.quantity ?? 1);
}

/** What the provider says that is billed for. */
export function billedOf(price: unknown, quantity = 1): Billed {
  return typeof price === 'string' ? { price, quantity } : {};
}

/** The credits of a period, and where the clock brings them, how. */
type Allowance = Pick<AllowancePaid, 'credits' | 'terms'>;

/** More than any record can hold is a mistake, and sums of it would lose precision. */
const MAX_ALLOWANCE = 1_000_000_000_000;

/** The allowance of so many of a price: who pays for three gets three times the credits. */
export function allowanceOf({ credits, terms }: PriceCredits, quantity: number): Allowance {
  const all = Math.min(credits * quantity, MAX_ALLOWANCE);
  const times = all === 0 || terms === undefined ? undefined : timesTerms(terms, quantity);
  return { credits: all, ...(times !== undefined && { terms: times }) };
}

/** The credits of one of a price. */
interface PriceCredits {
  readonly credits: number;
  readonly terms?: ClockTerms | undefined;
}

/** Minor currency units; an amount that is none is nothing. */
function amountOf(amount: unknown): number {
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0 ? amount : 0;
}

/** Before 2025-03-31 a line named its kind, its price and whether it is a proration at its root. */
type OlderLine = Stripe.InvoiceLineItem & {
  readonly type?: string;
  readonly proration?: boolean;
  readonly price?: { readonly id: string; readonly metadata?: Record<string, string> } | null;
};

/** The lines of an invoice that pay for a whole period: no prorations, and nothing that was billed once. */
export function serviceLinesOf(lines: Stripe.Invoice['lines'] | null | undefined): readonly ServiceLine[] {
  return rowsOf<OlderLine>(lines)
    .filter((line) => !isProration(line) && !isOneOff(line))
    .map((line) => ({
      price: priceIdOf(line),
      priceMetadata: line.price?.metadata === undefined ? null : readMetadata(line.price.metadata),
      metadata: line.metadata,
      quantity: quantityOf(line.quantity),
      start: readInstant(line.period?.start),
      end: readInstant(line.period?.end),
      isSaid: (line.parent?.subscription_item_details ?? null) !== null || line.type === 'subscription',
    }));
}

/**
 * The change of plan that an invoice was paid for within a period: its prorations take back the rest of one price and
 * charge that of another. Null for any other invoice.
 *
 * @throws the SDK's error where the provider has to be asked for the earlier price, and cannot be
 */
export async function upgradeIn(
  stripe: Stripe,
  invoice: OlderInvoice,
  seller: Seller,
): Promise<Upgrade | null> {
  const details = invoice.parent?.subscription_details ?? invoice.subscription_details;
  const prorations = rowsOf<OlderLine>(invoice.lines).filter(isProration);
  const credited = prorations.find(({ amount }) => amount < 0);
  const charged = prorations.find(({ amount }) => amount > 0);
  const until = readInstant(charged?.period?.end);
  const id = credited === undefined ? null : priceIdOf(credited);
  if (id === null || until === null || serviceLinesOf(invoice.lines).some(({ isSaid }) => isSaid))
    return null;
  // The invoice has the subscription's metadata as it was before the change was kept there.
  const { said } = saleOf({ metadata: [details?.metadata], prices: [{ id }] }, seller);
  const was = said.priceId === id ? said : await soldOnceAt(stripe, id, seller.catalog);
  const { lookupKey = null, entitlements, monthlyCredits = 0, terms } = was;
  return {
    at: readInstant(invoice.created) ?? 0,
    until,
    before: {
      lookupKey,
      ...(entitlements !== undefined && { entitlements }),
      ...allowanceOf({ credits: monthlyCredits, terms }, quantityOf(credited?.quantity)),
    },
  };
}

/** What a price sells; nothing where the provider does not know it. */
async function soldOnceAt(stripe: Stripe, id: string, catalog: Catalog): Promise<PurchaseMetadata> {
  try {
    const price = await stripe.prices.retrieve(id);
    const sold = soldAt(price, catalog);
    return {
      ...sold,
      ...(sold.lookupKey === undefined && price.lookup_key && { lookupKey: price.lookup_key }),
    };
  } catch (error) {
    if (isNotFound(error)) return {};
    throw error;
  }
}

function priceIdOf(line: OlderLine): string | null {
  return idOf(line.price) ?? idOf(line.pricing?.price_details?.price);
}

/** How many of a price are billed; one where the provider names no number, as for what is metered by it. */
export function quantityOf(quantity: unknown): number {
  return typeof quantity === 'number' && Number.isSafeInteger(quantity) && quantity >= 0 ? quantity : 1;
}

function isProration({ parent, proration }: OlderLine): boolean {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details;
  return details?.proration ?? proration ?? false;
}

function isOneOff({ parent, type }: OlderLine): boolean {
  return (parent?.invoice_item_details ?? null) !== null || type === 'invoiceitem';
}

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
  seller: Seller,
  asked: AskedPrices = new Map(),
  owner?: OwnerOfInvoice,
): Promise<Fact> {
  if (ask === null) return fact;
  const translated = (invoice: Stripe.Invoice, at: Millis, known: OwnerOfInvoice): Promise<Fact> => {
    const whole = translateInvoice(invoice, at, seller, known);
    return completeInvoice(stripe, whole.fact, whole.ask, seller, asked, known);
  };
  switch (ask.kind) {
    case 'lines': {
      const invoice = await withAllLines(await stripe(), ask.invoice);
      return invoice === null ? fact : translated(invoice, ask.at, owner);
    }
    case 'subscription':
      return translated(ask.invoice, ask.at, await subscriptionOf(await stripe(), ask.subscription));
    case 'prices':
      return fact.kind === 'allowance_paid'
        ? withPrices(await stripe(), fact, ask.lines, seller.catalog, asked)
        : fact;
    default:
      return ask satisfies never;
  }
}

/** Null: the provider has no such subscription. */
async function subscriptionOf(stripe: Stripe, id: string): Promise<OwnerOfInvoice> {
  try {
    return await stripe.subscriptions.retrieve(id);
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
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
  catalog: Catalog,
  asked: AskedPrices,
): Promise<AllowancePaid> {
  for (const { price } of lines) {
    if (!asked.has(price)) asked.set(price, await planPriceOf(stripe, price, catalog));
  }
  const known = lines.flatMap((line) => {
    const price = asked.get(line.price) ?? null;
    return price === null ? [] : [{ ...line, ...price }];
  });
  const [best] = known.sort((a, b) => Number(b.isPlan) - Number(a.isPlan) || b.credits - a.credits);
  if (best === undefined) return fact;
  const { terms: _, ...said } = fact;
  return {
    ...said,
    periodStart: best.start ?? fact.periodStart,
    periodEnd: best.end ?? fact.periodEnd,
    ...allowanceOf(best, best.quantity),
    billed: billedOf(best.price, best.quantity),
  };
}

/** By price; null for one that the provider does not know. */
export type AskedPrices = Map<string, PlanPrice | null>;

interface PlanPrice extends PriceCredits {
  readonly isPlan: boolean;
}

/** Null: the provider does not know the price. */
async function planPriceOf(stripe: Stripe, id: string, catalog: Catalog): Promise<PlanPrice | null> {
  try {
    const price = await stripe.prices.retrieve(id);
    const { monthlyCredits: credits = 0, terms } = soldAt(price, catalog);
    return { credits, terms, isPlan: isPlanKey(catalog, price.lookup_key) };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
