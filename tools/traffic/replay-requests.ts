import type { Exchange } from '../../packages/simulator/src/http/api.ts';
import { isUndocumented } from './hold-answers.ts';
import type { Asked, StripeMock } from './stripe-mock.ts';

export interface Sent extends Asked {
  readonly sentBy: Sender;
}

/** The requests of a run, each shape of them once. */
export class Requests {
  /** How many are well formed for the simulator, be what they ask for there or not. */
  taken = 0;
  /** Those that the simulator refused too: tests send them to be refused. */
  refusedByBoth = 0;
  /** Those of Stripe's own CLI that Stripe's document leaves out. */
  undocumented = 0;
  readonly distinct = new Map<string, Sent>();

  add(from: Sender, { method, path, requestBody, status, responseBody }: Exchange): void {
    const sentBy = requestBody.includes(`description=${OF_A_TEST}`) ? 'simulator tests' : from;
    if (isUndocumented(method, path)) this.undocumented += 1;
    else if (status === 400 || status === 401 || (status === 404 && !/"resource_missing"/.test(responseBody)))
      this.refusedByBoth += 1;
    else {
      this.taken += 1;
      this.distinct.set(shapeOf(`${sentBy} ${method} ${path} ${requestBody}`), {
        sentBy,
        method,
        path,
        requestBody,
      });
    }
  }
}

/** A request without what differs in each: ids, times, amounts. */
function shapeOf(request: string): string {
  return request.replace(/[A-Za-z0-9]{14,}|\d{3,}/g, '…');
}

interface Replayed {
  readonly allowed: ReadonlyMap<AllowedRefusal, number>;
  /** What stripe-mock refused that is not allowed to be refused. */
  readonly refused: readonly string[];
}

/** Sends every shape of request to stripe-mock. */
export async function replay(requests: Iterable<Sent>, mock: StripeMock): Promise<Replayed> {
  const allowed = new Map<AllowedRefusal, number>();
  const refused: string[] = [];
  for (const asked of requests) {
    const refusal = await mock.refusalOf(asked);
    if (refusal === undefined) continue;
    const known = withoutAllowed(asked);
    if (known !== undefined && (await mock.refusalOf(known.rest)) === undefined)
      allowed.set(known.allowed, (allowed.get(known.allowed) ?? 0) + 1);
    else refused.push(`${asked.method} ${asked.path} ${decodeURIComponent(asked.requestBody)}: ${refusal}`);
  }
  return { allowed, refused };
}

export type Sender = 'service' | 'simulator tests';

/** With this `description` a test says that a request is its own: the suite's simulator does not know who asks. */
export const OF_A_TEST = 'of-a-test';

/** A parameter that stripe-mock refuses and Stripe takes: the document is two releases older than the SDK's version. */
interface AllowedRefusal {
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
