import type { Asked } from './stripe-mock.ts';

export type Sender = 'service' | 'simulator tests';

/** A parameter that stripe-mock refuses and Stripe takes: the document is two releases older than the SDK's version. */
export interface AllowedRefusal {
  /** Who may send it: the service and its scripts, or only the simulator's own tests. */
  readonly sentBy: Sender;
  /** As Stripe's document names it. */
  readonly operation: RegExp;
  /** The parameter's name, with what is nested in it. */
  readonly parameter: RegExp;
  readonly reason: string;
}

/** All there are. Anything else that stripe-mock refuses fails the tests. */
export const ALLOWED_REFUSALS: readonly AllowedRefusal[] = [
  {
    sentBy: 'service',
    operation: /^POST \/v1\/checkout\/sessions$/,
    parameter: /^allowed_payment_method_types\b/,
    reason: 'Checkout’s filter of payment methods is new in 2026-10-28.endive; the SDK’s types have it.',
  },
  {
    sentBy: 'service',
    operation: /^POST \/v1\/webhook_endpoints$/,
    parameter: /^api_version$/,
    reason: 'The document’s list of versions ends with its own, 2026-08-26.dahlia; the SDK pins a newer one.',
  },
  {
    sentBy: 'simulator tests',
    operation: /^POST \/v1\/(subscriptions\/\w+|invoices\/create_preview)$/,
    parameter: /^(subscription_details\[)?billing_cycle_anchor\b/,
    reason: 'A map since 2026-10-28.endive, a text before. Neither the service nor a script sends it.',
  },
];

/**
 * The request without a parameter that may be refused; undefined where it has none. Only when stripe-mock takes what
 * is left is its refusal one of the allowed.
 */
export function withoutAllowed(
  asked: Asked & { readonly sentBy: Sender },
): { readonly allowed: AllowedRefusal; readonly rest: Asked } | undefined {
  const allowed = ALLOWED_REFUSALS.find(
    ({ sentBy, operation }) =>
      (sentBy === 'service' || sentBy === asked.sentBy) && operation.test(`${asked.method} ${asked.path}`),
  );
  if (allowed === undefined) return undefined;
  const parameters = [...new URLSearchParams(asked.requestBody)];
  const rest = parameters.filter(([name]) => !allowed.parameter.test(name));
  if (rest.length === parameters.length) return undefined;
  return { allowed, rest: { ...asked, requestBody: new URLSearchParams(rest).toString() } };
}
