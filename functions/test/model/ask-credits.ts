import type { AheadArrival, CreditArrival, SettleArrival, TickArrival } from './credit-arrivals.ts';
import type { AskedEnd, ExpectedEnd } from './credit-oracle.ts';
import { creditsOfUsed, MEASURED } from './features.ts';
import type { ExpectedConsume, Oracle } from './oracle.ts';
import type { CreditAnswer, Service } from './service.ts';

export type CreditRequest = Exclude<CreditArrival, TickArrival | AheadArrival>;
export type Answer = CreditAnswer<ExpectedConsume['outcome'] | ExpectedEnd>;

/** Sends a request; null: no answer, and nobody knows whether it did anything. */
export function ask(service: Service, uid: string, request: CreditRequest): Promise<Answer | null> {
  switch (request.kind) {
    case 'consume':
      return service.consume(uid, request.key, request.feature, request.cost);
    case 'reserve':
      return service.reserve(uid, request);
    case 'settle':
      return service.settle(uid, request);
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
      return oracle.reserve(request.key, request.cost, request.lifetime, now, request.by).outcome;
    case 'settle':
      return oracle.settle(request.reservation, endOf(request), now);
    default:
      return request satisfies never;
  }
}

/** Only what is measured can be overdrawn. */
function endOf({ as, by, used, feature }: SettleArrival): AskedEnd {
  if (used === undefined) return { as, by };
  return {
    as,
    by,
    cost: creditsOfUsed(used),
    overdraw: feature === MEASURED.name ? MEASURED.price.overdraw : 0,
  };
}

/** What a settle asks to be taken; null for another end. */
export function askedCost(request: CreditRequest): number | null {
  return request.kind === 'settle' && request.used !== undefined ? creditsOfUsed(request.used) : null;
}

export function describeRequest(request: CreditRequest): string {
  switch (request.kind) {
    case 'consume':
      return `consume ${request.key} (${request.cost})`;
    case 'reserve':
      return `${request.by} reserves ${request.key} (${request.cost} for ${request.lifetime} ms)`;
    case 'settle':
      return `${request.by} ${request.as} ${request.reservation} ${JSON.stringify(request.used ?? '')}`;
    default:
      return request satisfies never;
  }
}
