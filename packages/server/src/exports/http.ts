import type { Billing } from '../billing.ts';
import { httpDoor, isOnThisMachine, notConfigured, type Proof } from '../over-http.ts';
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

export type BillingOptions = Address & Proof;

/**
 * The billing service over HTTP, from wherever `fetch` is: Node 20 or newer, Cloudflare Workers, Vercel's edge, Deno.
 *
 * @typeParam Feature the features of your catalogue: `createBilling<keyof typeof catalog.features>(…)` lets the compiler
 * check their names
 * @throws BillingError where the options cannot be right
 */
export function createBilling<Feature extends string = string>(options: BillingOptions): Billing<Feature> {
  const { url, projectId, authEmulator = false, fetch = globalThis.fetch } = options;
  // A worker's fetch refuses to be called as another object's method.
  const fetchAlone: typeof fetch = (...args) => fetch(...args);
  const door = httpDoor(options, fetchAlone);
  if (authEmulator && !isOnThisMachine(url)) {
    throw notConfigured('"authEmulator" takes unsigned tokens: only where "url" is on this machine.');
  }
  const verify =
    projectId === undefined
      ? withoutProject
      : verifierOf({ projectId, isEmulated: authEmulator, fetch: fetchAlone });
  return billingThrough(door, verify, options);
}

async function withoutProject(): Promise<never> {
  throw notConfigured('"verifyUser" needs the id of your Firebase project: createBilling({ projectId, … }).');
}
