import type { Door } from './ask.ts';
import { BillingError } from './billing-error.ts';
import { rememberedToken } from './remembered-token.ts';

/** How a backend proves what it is: by one of the two. */
export type Proof =
  | {
      /** What `npx billing keys create` printed. */
      readonly key: string;
      readonly idToken?: never;
    }
  | {
      readonly key?: never;
      /**
       * A Google service account's ID token with the function's address as its audience. It is remembered until a minute
       * before it ends.
       */
      readonly idToken: () => string | Promise<string>;
    };

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * The service at its address.
 *
 * @throws BillingError where address or key cannot be right
 */
export function httpDoor(
  { url, key, idToken }: { readonly url: string } & Proof,
  fetch: typeof globalThis.fetch,
): Door {
  const base = baseOf(url).href.replace(/\/$/, '');
  if (key === undefined ? typeof idToken !== 'function' : !/^[\w.~+/=-]+$/.test(key)) {
    throw notConfigured(
      'Give "key", what "npx billing keys create" printed, or "idToken", a function that answers an ID token.',
    );
  }
  return {
    bearer: key === undefined ? rememberedToken(idToken) : () => key,
    async send({ method, path, headers, body, signal }) {
      // A redirect is no answer of the service's, and must not carry the key elsewhere.
      const response = await fetch(`${base}${path}`, { method, headers, body, signal, redirect: 'manual' });
      const text = await response.text();
      return { status: response.status, header: (name) => response.headers.get(name), text };
    },
  };
}

export function isOnThisMachine(url: string): boolean {
  return LOOPBACK.has(baseOf(url).hostname);
}

export function notConfigured(message: string): BillingError {
  return new BillingError('not_configured', message);
}

function baseOf(url: string): URL {
  const base = URL.canParse(url) ? new URL(url) : null;
  const isSafe = base?.protocol === 'https:' || (base?.protocol === 'http:' && LOOPBACK.has(base.hostname));
  if (base !== null && isSafe && base.search === '' && base.hash === '') return base;
  throw notConfigured('"url" must be the https address of the billing function (http only on this machine).');
}
