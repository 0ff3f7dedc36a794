import { readFileSync } from 'node:fs';
import { invalidRequest } from './errors.ts';
import type { Operation } from './operations.ts';

/** What a path meets at a field: an id, a list on a page of its own, or a map that only leads further in. */
export interface ExpandableField {
  kind: 'id' | 'list' | 'inside';
  /** The schema behind it; null where there is none that could be expanded further. */
  to: string | null;
}

interface Expandable {
  answers: Record<string, { list: boolean; to: string | null }>;
  fields: Record<string, Record<string, ExpandableField>>;
}

const generated: Expandable = JSON.parse(
  readFileSync(new URL('../generated/expandable.json', import.meta.url), 'utf8'),
);

/** Lists that an object shows only when asked, or always. What Stripe lists beyond these, the simulator does not have. */
const LISTS_HERE = new Set([
  'charge.refunds',
  'checkout.session.line_items',
  'customer.subscriptions',
  'invoice.lines',
  'invoice.payments',
  'subscription.items',
]);
/** What Stripe shows only when asked and the simulator does not have. */
const NOT_HERE = new Set([
  'customer.cash_balance',
  'customer.invoice_credit_balance',
  'customer.tax',
  'invoice.confirmation_secret',
  'payment_pages_checkout_session_total_details.breakdown',
  'price.currency_options',
  'price.tiers',
]);
/** Objects that the simulator names by id and does not have. */
const ONLY_NAMED = new Set(['balance_transaction']);

const MOST_LEVELS = 4;

function notExpandable(path: string) {
  return invalidRequest(`This property cannot be expanded (${path}).`, 'expand');
}

function notHere(path: string) {
  return invalidRequest(
    `The simulator cannot expand \`${path}\`, which Stripe can. Leave it out here, or try it with a test key of your own.`,
    'expand',
  );
}

/** Follows one path from a schema; throws where it leads nowhere. */
function follow(from: string | null, segments: readonly string[], whole: string): void {
  const [name = '', ...rest] = segments;
  const full = `${from}.${name}`;
  if (NOT_HERE.has(full)) throw notHere(whole);
  const fields = from === null ? undefined : generated.fields[from];
  const field = fields !== undefined && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) throw notExpandable(whole);
  const isLast = rest.length === 0;
  switch (field.kind) {
    case 'inside':
      if (isLast) throw notExpandable(whole);
      follow(field.to, rest, whole);
      return;
    case 'list': {
      if (!LISTS_HERE.has(full)) throw notHere(whole);
      if (isLast) return;
      if (rest[0] !== 'data' || rest.length === 1) throw notExpandable(whole);
      follow(field.to, rest.slice(1), whole);
      return;
    }
    case 'id':
      if (field.to !== null && ONLY_NAMED.has(field.to)) throw notHere(whole);
      if (!isLast) follow(field.to, rest, whole);
      return;
    default:
      field.kind satisfies never;
  }
}

/**
 * Refuses what cannot be expanded of an operation's answer, before anything is done: whether a path leads somewhere
 * hangs on the kinds of objects alone (`x-expandableFields` of Stripe's document).
 *
 * @throws StripeApiError 400 naming the path
 */
export function checkExpand(operation: Operation, paths: readonly string[]): void {
  if (paths.length === 0) return;
  const answer = generated.answers[operation];
  for (const path of paths) {
    const segments = path.split('.');
    if (segments.length > MOST_LEVELS)
      throw invalidRequest(`You cannot expand more than 4 levels of a property. Property: ${path}`, 'expand');
    if (answer === undefined) throw notExpandable(path);
    if (answer.list && (segments[0] !== 'data' || segments.length === 1)) throw notExpandable(path);
    follow(answer.to, answer.list ? segments.slice(1) : segments, path);
  }
}
