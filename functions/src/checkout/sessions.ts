import { hasTiers } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import type { AppDeps } from '../deps.ts';
import type { Uid } from '../store/documents.ts';
import type { StripeClient } from '../stripe/client.ts';
import { createCustomer, isUnknownCustomer, isUnknownPrice } from '../stripe/customers.ts';
import { chargedFor, type Prices } from '../stripe/prices.ts';
import { type CheckoutSession, createCheckoutSession } from '../stripe/sessions.ts';
import { keepCustomer } from './buyer.ts';
import type { Order } from './decide.ts';

export type CheckoutDeps = AppDeps & { readonly prices: Prices };

interface WantedSession {
  readonly uid: Uid;
  readonly order: Order;
  /** The currency of the user's subscription, which no second one may differ from; null where none runs. */
  readonly billedIn: string | null;
  /** The user's customer, as far as it is known. */
  readonly customerId: string | null;
  readonly trialDays: number;
  /** The same attempt always gets the same session, however often the call is repeated. */
  readonly attempt: string;
}

/** Makes the provider's hosted page: one call when price and customer are known, and both are as they were. */
export async function makeSession(deps: CheckoutDeps, wanted: WantedSession): Promise<CheckoutSession> {
  const stripe = await deps.stripe();
  const { uid, attempt } = wanted;
  const customerId = wanted.customerId ?? (await makeCustomer(deps, stripe, uid, null));
  try {
    return await trySession(deps, stripe, wanted, customerId, attempt);
  } catch (error) {
    if (isUnknownPrice(error)) {
      deps.prices.forget(wanted.order.offer.lookupKey);
      return trySession(deps, stripe, wanted, customerId, `${attempt}_price`);
    }
    if (!isUnknownCustomer(error)) throw error;
    const successor = await makeCustomer(deps, stripe, uid, customerId);
    return trySession(deps, stripe, wanted, successor, `${attempt}_customer`);
  }
}

async function trySession(
  deps: CheckoutDeps,
  stripe: StripeClient,
  { uid, order, billedIn, trialDays }: WantedSession,
  customerId: string,
  attempt: string,
): Promise<CheckoutSession> {
  const { offer, extension } = order;
  const price = await deps.prices.resolve(offer);
  const { id: priceId, currency: own, amounts, ...sold } = price;
  const { kind, lookupKey } = offer;
  const sells = offer.kind !== 'pack' && hasTiers(deps.catalog());
  const entitlements = sells ? { entitlements: offer.grants } : {};
  const charged = chargedFor(price, [billedIn, order.currency]);
  const foreign = charged !== null && charged.currency !== own ? { charged } : {};
  const purchase = { uid, kind, lookupKey, priceId, ...sold, ...entitlements, ...foreign };
  const currency = Object.keys(amounts).length > 1 ? (charged?.currency ?? null) : null;
  const wish = { purchase, customerId, trialDays, attempt, currency, extension, shown: charged };
  return createCheckoutSession(stripe, deps.config, wish);
}

async function makeCustomer(
  deps: CheckoutDeps,
  stripe: StripeClient,
  uid: Uid,
  lost: string | null,
): Promise<string> {
  const email = await emailOf(deps, uid);
  const { project } = deps.config;
  const customerId = await createCustomer(stripe, uid, deps.now(), { lost, project, email });
  return keepCustomer(deps.firestore, uid, customerId, lost);
}

/** The user's address, so that the hosted page does not ask for it again; a sale never waits for it to be found. */
function emailOf({ auth }: CheckoutDeps, uid: Uid): Promise<string | null> {
  return auth.getUser(uid).then(
    ({ email }) => email ?? null,
    () => null,
  );
}

/** What came of a request for a checkout. */
export type OpenedCheckout =
  | {
      readonly kind: 'opened';
      readonly url: string;
      readonly sessionId: string;
      readonly trial: boolean;
      /** Made by another request of the same user at the same moment. */
      readonly shared: boolean;
    }
  | { readonly kind: 'refused'; readonly code: 'already_subscribed' | 'already_owned' | 'account_deleted' };

/** The user opened as many checkouts as may be, on whichever instances, and may open another at `until`. */
export class CheckoutsSpent extends Error {
  readonly until: Millis;

  constructor(until: Millis) {
    super('this user opened too many checkouts in a minute');
    this.until = until;
  }
}
