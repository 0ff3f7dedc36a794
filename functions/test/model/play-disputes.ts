import type { Action } from './action.ts';
import type { DisputeState, PaidInvoice, ProviderModel, Sale } from './provider-model.ts';
import { chargeOf, disputeObject, invoiceChargeOf } from './stripe-objects.ts';
import type { DisputeOutcome, Telling } from './truth.ts';

type Of<Kind extends Action['do']> = Extract<Action, { do: Kind }>;

/** A charge that can be disputed, whatever was paid with it. */
export type Disputable =
  | { readonly kind: 'sale'; readonly sale: Sale }
  | { readonly kind: 'invoice'; readonly invoice: PaidInvoice };

const amountOf = (on: Disputable): number => (on.kind === 'sale' ? on.sale.truth.amount : on.invoice.amount);
const disputeOf = (on: Disputable): DisputeState | null =>
  on.kind === 'sale' ? on.sale.dispute : on.invoice.dispute;

/** All charges with money in them, those of one kind first. */
export function disputables(provider: ProviderModel, first: 'sale' | 'invoice' = 'sale'): Disputable[] {
  const sales = [...provider.sales.values()]
    .filter(({ paid, truth }) => paid && truth.amount > 0)
    .map((sale): Disputable => ({ kind: 'sale', sale }));
  const invoices = [...provider.paidInvoices.values()].map(
    (invoice): Disputable => ({ kind: 'invoice', invoice }),
  );
  return first === 'sale' ? [...sales, ...invoices] : [...invoices, ...sales];
}

export const isUndisputed = (on: Disputable): boolean => disputeOf(on) === null;
export const isInquired = (on: Disputable): boolean => disputeOf(on)?.outcome === 'inquiry';
export const isOpen = (on: Disputable): boolean => isInquired(on) || disputeOf(on)?.outcome === 'open';

export function dispute(
  provider: ProviderModel,
  on: Disputable,
  { percent = 100, inquiry = false }: Of<'dispute'>,
): void {
  const disputed = Math.max(1, Math.floor((amountOf(on) * percent) / 100));
  const state: DisputeState = { id: provider.id('dp'), outcome: inquiry ? 'inquiry' : 'open', disputed };
  report(provider, on, 'charge.dispute.created', state);
  if (!inquiry) report(provider, on, 'charge.dispute.funds_withdrawn', state);
}

export function escalate(provider: ProviderModel, on: Disputable): void {
  const before = disputeOf(on);
  if (before === null) return;
  const state: DisputeState = { ...before, outcome: 'open' };
  report(provider, on, 'charge.dispute.updated', state);
  report(provider, on, 'charge.dispute.funds_withdrawn', state);
}

/** An inquiry is closed without a decision. */
export function closeDispute(provider: ProviderModel, on: Disputable, won: boolean): void {
  const before = disputeOf(on);
  if (before === null) return;
  const outcome = before.outcome === 'inquiry' ? 'closed' : won ? 'won' : 'lost';
  const state: DisputeState = { ...before, outcome };
  if (outcome === 'won') report(provider, on, 'charge.dispute.funds_reinstated', state);
  report(provider, on, 'charge.dispute.closed', state);
}

function report(provider: ProviderModel, on: Disputable, type: string, state: DisputeState): void {
  const status = STATUSES[state.outcome];
  const telling = tellingOf(on, state);
  if (on.kind === 'sale') {
    const { truth } = on.sale;
    provider.sale(truth.id, { dispute: state });
    const about = { charge: chargeOf(truth), paymentIntent: truth.id };
    provider.report(type, disputeObject(state.id, about, state.disputed, status), telling);
    return;
  }
  const { invoice } = on;
  provider.paidInvoices.set(invoice.id, { ...invoice, dispute: state });
  provider.report(
    type,
    disputeObject(state.id, invoiceChargeOf(invoice.id), state.disputed, status),
    telling,
  );
}

const STATUSES = {
  inquiry: 'warning_needs_response',
  closed: 'warning_closed',
  open: 'needs_response',
  won: 'won',
  lost: 'lost',
} as const;

/** An inquiry tells nothing: no money moves. */
function tellingOf(on: Disputable, { id, outcome, disputed }: DisputeState): Telling {
  if (outcome === 'inquiry' || outcome === 'closed') return { tells: 'nothing' };
  const known: DisputeOutcome = outcome;
  if (on.kind === 'sale') {
    return { tells: 'dispute', purchase: on.sale.truth, dispute: id, outcome: known, disputed };
  }
  const { id: invoice, amount, upgrade } = on.invoice;
  return { tells: 'invoice_dispute', invoice, outcome: known, disputed, amount, upgrade };
}
