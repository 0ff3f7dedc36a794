import { StripeApiError } from './errors.ts';

/** Makes calls fail on purpose; `POST /_sim/fault` sets it. */
export interface Fault {
  /** Method and path prefix that it meets; every call when absent. */
  method: string | null;
  path: string | null;
  /** What the call answers: an HTTP status, or a connection that breaks off. */
  status: number | 'reset';
  /** How many calls are left that it meets. */
  times: number;
  /** True: the call is executed first, and only its answer is lost. */
  afterwards: boolean;
}

/** The faults that are set, the first that fits a call is spent on it. */
export class Faults {
  private faults: Fault[] = [];

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  clear(): void {
    this.faults = [];
  }

  take(method: string, path: string): Fault | null {
    const fault = this.faults.find(
      (one) =>
        one.times > 0 &&
        (one.method === null || one.method === method) &&
        (one.path === null || path.startsWith(one.path)),
    );
    if (fault === undefined) return null;
    fault.times -= 1;
    return fault;
  }
}

/** What Stripe answers with that status when the fault is its own or the rate limit's. */
export function faultError(status: number): StripeApiError {
  if (status === 429)
    return new StripeApiError(429, {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message:
        'Too many requests hit the API too quickly. We recommend an exponential backoff of your requests.',
    });
  return new StripeApiError(status, {
    type: status >= 500 ? 'api_error' : 'invalid_request_error',
    message: 'A fault that was asked for by /_sim/fault.',
  });
}
