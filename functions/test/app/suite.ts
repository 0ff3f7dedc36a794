import { Stripe } from 'stripe';
import { holdAnswer } from './hold-answer.ts';

/** One of the addresses that the local suite puts into the environment. */
function address(name: 'BILLING_BASE_URL' | 'BILLING_DIRECT_URL' | 'PROVIDER_BASE_URL'): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run this with "npm run suite -- <command>"`);
  return value;
}

/** The built function in two processes, as production runs it on two instances. */
export const servers = {
  'function server': address('BILLING_BASE_URL'),
  'direct server': address('BILLING_DIRECT_URL'),
} as const;

/** The provider, as a test looks at it: the official SDK on the simulator. */
export function provider(): Stripe {
  const { hostname, port } = new URL(address('PROVIDER_BASE_URL'));
  return new Stripe('sk_test_simulator0000000000', { host: hostname, port, protocol: 'http' });
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts a body as it is, without a look at it, and holds the answer to docs/openapi.json. */
export async function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer> | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const answer = (await response.json()) as Answer['body'];
  holdAnswer('POST', url, response, answer);
  return { status: response.status, headers: response.headers, body: answer };
}
