import type { CreditArrival } from './credit-arrivals.ts';
import type { ExpectedEnd } from './credit-oracle.ts';
import type { ExpectedConsume, Oracle } from './oracle.ts';
import type { CreditAnswer, Service } from './service.ts';

export type CreditRequest = Exclude<CreditArrival, { readonly kind: 'tick' }>;
export type Answer = CreditAnswer<ExpectedConsume['outcome'] | ExpectedEnd>;

/** Sends a request; null: no answer, and nobody knows whether it did anything. */
export function ask(service: Service, uid: string, request: CreditRequest): Promise<Answer | null> {
  switch (request.kind) {
    case 'consume':
      return service.consume(uid, request.key, request.feature, request.cost);
    case 'reserve':
      return service.reserve(uid, request.key, request.feature, request.cost, request.lifetime);
    case 'settle':
      return service.settle(uid, request.reservation, request.as);
    default:
      return request satisfies never;
  }
}

/** The ledger entry that a request leaves. */
export function entryIdOf(request: CreditRequest): string {
  return request.kind === 'settle' ? `settle_${request.reservation}` : `${request.kind}_${request.key}`;
}

/** Does the same in the reference. */
export function expectedOf(oracle: Oracle, request: CreditRequest, now: number): Answer['outcome'] {
  switch (request.kind) {
    case 'consume':
      return oracle.consume(request.key, request.cost, now).outcome;
    case 'reserve':
      return oracle.reserve(request.key, request.cost, request.lifetime, now).outcome;
    case 'settle':
      return oracle.settle(request.reservation, request.as, now);
    default:
      return request satisfies never;
  }
}

export function describeRequest(request: CreditRequest): string {
  switch (request.kind) {
    case 'consume':
      return `consume ${request.key} (${request.cost})`;
    case 'reserve':
      return `reserve ${request.key} (${request.cost} for ${request.lifetime} ms)`;
    case 'settle':
      return `${request.as} ${request.reservation}`;
    default:
      return request satisfies never;
  }
}
