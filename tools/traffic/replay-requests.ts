import type { Exchange } from '../../packages/simulator/src/http/api.ts';
import { type AllowedRefusal, type Sender, withoutAllowed } from './allowed-refusals.ts';
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

  add(sentBy: Sender, { method, path, requestBody, status, responseBody }: Exchange): void {
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

export interface Replayed {
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
