import type { Door } from '../ask.ts';
import type { Billing } from '../billing.ts';
import { BillingError } from '../billing-error.ts';
import { billingThrough, type Patience } from '../requests.ts';
import { verifierOf } from '../verify-user.ts';

export type * from '../billing.ts';
export { BillingError, type BillingErrorCode } from '../billing-error.ts';

interface Address extends Patience {
  /** The billing function's address: `https://us-central1-your-project.cloudfunctions.net/api`. */
  readonly url: string;
  /** The Firebase project whose users call you; `verifyUser` needs it. */
  readonly projectId?: string;
  /** `verifyUser` takes the unsigned tokens of the auth emulator. Refused where `url` is not on this machine. */
  readonly authEmulator?: boolean;
  /** Another fetch: one that goes through a proxy, say. */
  readonly fetch?: typeof globalThis.fetch;
}

/** How this backend proves what it is: by one of the two. */
type Proof =
  | {
      /** What `npx billing keys create` printed. */
      readonly key: string;
      readonly idToken?: never;
    }
  | {
      readonly key?: never;
      /**
       * A Google service account's ID token whose audience is the function's address. It is asked for at every attempt, so
       * remember it for the time that it is valid: google-auth-library does.
       */
      readonly idToken: () => string | Promise<string>;
    };

export type BillingOptions = Address & Proof;

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The billing service over HTTP, from wherever `fetch` is: Node 20 or newer, Cloudflare Workers, Vercel's edge, Deno.
 *
 * @typeParam Feature the features of your catalogue: `createBilling<keyof typeof catalog.features>(…)` lets the compiler
 * check their names
 * @throws BillingError where the options cannot be right
 */
export function createBilling<Feature extends string = string>(options: BillingOptions): Billing<Feature> {
  const { url, key, idToken, projectId, authEmulator = false, fetch = globalThis.fetch } = options;
  const base = baseOf(url);
  const isHere = LOOPBACK.has(base.hostname);
  if (authEmulator && !isHere) {
    throw notConfigured('"authEmulator" takes unsigned tokens: only where "url" is on this machine.');
  }
  if (key !== undefined && !/^[\w.~+/=-]+$/.test(key)) {
    throw notConfigured('"key" is empty or no key: give what "npx billing keys create" printed.');
  }
  const verify =
    projectId === undefined
      ? null
      : verifierOf({ projectId, isEmulated: authEmulator, fetch: (...args) => fetch(...args) });
  const door: Door = {
    bearer: key === undefined ? idToken : () => key,
    async send({ method, path, headers, body, signal }) {
      // A redirect is no answer of the service's, and must not carry the key elsewhere.
      const response = await fetch(`${base.href.replace(/\/$/, '')}${path}`, {
        ...{ method, headers, body, signal, redirect: 'manual' },
      });
      const text = await response.text();
      return { status: response.status, header: (name) => response.headers.get(name), text };
    },
  };
  return billingThrough(door, (token) => (verify ?? withoutProject)(token), options);
}

function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : null;
  const isSafe = base?.protocol === 'https:' || (base?.protocol === 'http:' && LOOPBACK.has(base.hostname));
  if (base !== null && isSafe && base.search === '' && base.hash === '') return base;
  throw notConfigured('"url" must be the https address of the billing function (http only on this machine).');
}

function notConfigured(message: string): BillingError {
  return new BillingError('not_configured', message);
}

async function withoutProject(): Promise<never> {
  throw notConfigured('"verifyUser" needs the id of your Firebase project: createBilling({ projectId, … }).');
}
