import { type AgentOptions, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Millis } from '@extension-billing/contract/customer';
import type { Stripe } from 'stripe';
import type { Config } from '../config.ts';

/** Where the provider is and who asks. */
type ProviderAccess = Pick<Config, 'providerSecretKey' | 'providerApiBase'>;

/**
 * A checkout waits for the provider while a person watches, and holds one of the instance's places meanwhile. With one
 * repetition a call ends within 15 s, which is half of what a request has (app.ts).
 */
export const TIMEOUT_MS: Millis = 7_000;
export const REPETITIONS = 1;
/** Of who keeps a pace: nobody waits for those. */
const PACED_REPETITIONS = 3;
/**
 * A connection that nobody used for so long is closed. The SDK would keep it, also while the instance is frozen, when
 * those who are on its other end forget it (docs/decisions/firestore.md#idle-connections-are-checked).
 */
const IDLE_MS: Millis = 20_000;

/** Stripe's client. Only this folder calls it; the rest of the backend passes it on. */
export type StripeClient = Stripe;

interface ClientOptions {
  /** After so long without use a connection is closed. */
  readonly idle?: Millis | undefined;
  /** Settles when the next call may be made: of whoever makes many, and for whom nobody waits. */
  readonly pace?: (() => Promise<void>) | null;
}

/**
 * Loads the SDK, so that a process which serves only consumes never pays for it, and makes the client. It talks to the
 * simulator where the configuration names one (design, section 6).
 */
export async function connectStripe(
  config: ProviderAccess,
  { idle = IDLE_MS, pace = null }: ClientOptions = {},
): Promise<StripeClient> {
  const { Stripe } = await import('stripe');
  const { httpAgent, ...address } = addressOf(config.providerApiBase, { keepAlive: true, timeout: idle });
  const client = Stripe.createNodeHttpClient(httpAgent);
  return new Stripe(config.providerSecretKey, {
    maxNetworkRetries: pace === null ? REPETITIONS : PACED_REPETITIONS,
    httpClient: pace === null ? client : pacedClient(client, pace),
    timeout: TIMEOUT_MS,
    telemetry: false,
    appInfo: { name: 'extension-billing' },
    ...address,
  });
}

/** Each request waits for its turn, repeated ones too; its time limit begins after that. */
function pacedClient(client: Stripe.HttpClient, pace: () => Promise<void>): Stripe.HttpClient {
  const makeRequest: Stripe.HttpClient['makeRequest'] = async (...request) => {
    await pace();
    return client.makeRequest(...request);
  };
  return { getClientName: () => client.getClientName(), makeRequest };
}

interface Address {
  readonly host?: string;
  readonly port?: string;
  readonly protocol?: 'http' | 'https';
  readonly httpAgent: HttpAgent;
}

function addressOf(base: string | null, connections: AgentOptions): Address {
  if (base === null) return { httpAgent: new HttpsAgent(connections) };
  const { protocol, hostname: host, port } = new URL(base);
  return protocol === 'https:'
    ? { host, port: port || '443', protocol: 'https', httpAgent: new HttpsAgent(connections) }
    : { host, port: port || '80', protocol: 'http', httpAgent: new HttpAgent(connections) };
}

/** What may be logged of a failed call: the provider's own words for the error, never its parameters. */
interface ProviderFailure {
  readonly type: string;
  readonly code: string | null;
  readonly param: string | null;
  readonly status: number | null;
  /** The provider's id of the request, to look it up in its dashboard. */
  readonly requestId: string | null;
  /** Seconds after which asking again may help. */
  readonly retryAfterSeconds: number;
}

/** Seconds. A set-up mistake does not go away sooner for being asked about. */
const AFTER_A_REFUSAL = 60;
const AFTER_AN_OUTAGE = 2;
const MAX_WAIT = 60;

/** The catalog at the provider does not fit what is sold: a set-up mistake that a retry does not fix. */
export class CatalogProblem extends Error {
  readonly lookupKey: string;

  constructor(lookupKey: string, detail: string) {
    super(detail);
    this.name = 'CatalogProblem';
    this.lookupKey = lookupKey;
  }
}

/** Describes an error that comes from the provider, or null for one that does not. */
export function describeProviderFailure(error: unknown): ProviderFailure | null {
  if (error instanceof CatalogProblem) {
    return {
      type: error.message,
      code: error.lookupKey,
      param: null,
      status: null,
      requestId: null,
      retryAfterSeconds: AFTER_A_REFUSAL,
    };
  }
  if (!(error instanceof Error) || !('type' in error) || typeof error.type !== 'string') return null;
  if (!error.type.startsWith('Stripe')) return null;
  return {
    type: error.type,
    code: textOf(error, 'code'),
    param: textOf(error, 'param'),
    status: 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null,
    requestId: textOf(error, 'requestId'),
    retryAfterSeconds: retryAfter(error),
  };
}

/** What the provider itself asks for (429, 503), else by whether it refused or failed. */
function retryAfter(error: Error): number {
  const { headers, statusCode } = error as { readonly headers?: unknown; readonly statusCode?: unknown };
  const asked = Number((headers as Readonly<Record<string, unknown>> | undefined)?.['retry-after']);
  if (Number.isInteger(asked) && asked > 0) return Math.min(asked, MAX_WAIT);
  const isRefusal = typeof statusCode === 'number' && statusCode < 500 && statusCode !== 429;
  return isRefusal ? AFTER_A_REFUSAL : AFTER_AN_OUTAGE;
}

/** The provider understood the request and said no: what it names is unknown, over, or not to be changed so. */
export function isRefusedRequest(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'StripeInvalidRequestError';
}

/** The provider has nothing under the address that was asked for. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'statusCode' in error && error.statusCode === 404;
}

/** The provider does not know the object that the request names. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, statusCode } = error as { readonly code?: unknown; readonly statusCode?: unknown };
  return code === 'resource_missing' || statusCode === 404;
}

function textOf(error: Error, name: string): string | null {
  const value: unknown = (error as Error & Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : null;
}
