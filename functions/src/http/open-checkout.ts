import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stripe } from 'stripe';
import type { PackOffer, PlanOffer } from '../contract/pricing.ts';
import type { AppDeps } from '../deps.ts';
import { decideClaim } from '../domain/checkout.ts';
import type { Uid } from '../domain/uid.ts';
import { createCustomer, isUnknownCustomer, isUnknownPrice } from '../provider/customers.ts';
import type { Prices } from '../provider/prices.ts';
import {
  type CheckoutSession,
  closeCheckoutSession,
  closeOpenSessions,
  createCheckoutSession,
} from '../provider/sessions.ts';
import { type Buyer, readBuyer } from '../store/checkout-buyer.ts';
import { type Claim, claimCheckout, settleClaim } from '../store/checkout-claim.ts';
import { keepCustomer } from '../store/checkout-customer.ts';
import { Unavailable } from './answer.ts';

export type OpenedCheckout =
  | {
      readonly kind: 'opened';
      readonly url: string;
      readonly sessionId: string;
      readonly trial: boolean;
      /** Made by another request of the same user at the same moment. */
      readonly shared: boolean;
    }
  | { readonly kind: 'refused'; readonly code: 'already_subscribed' | 'already_owned' };

export interface Wanted {
  readonly uid: Uid;
  readonly offer: PlanOffer | PackOffer;
  readonly buyer: Buyer;
  readonly trialDays: number;
}

type Deps = AppDeps & { readonly prices: Prices };

/** How long a request waits for another one that is making the same user's checkout. */
const WAIT_MS = 12_000;

/**
 * Opens a hosted checkout: one call to the provider when price and customer are known.
 *
 * A subscription has at most one open checkout per user. It is claimed in the store before the provider is
 * asked, an earlier session is closed before its successor is made, and requests that waited for an equal
 * one share its session. So only one session ever carries the trial, and one that is left unused costs none.
 */
export async function openCheckout(deps: Deps, wanted: Wanted): Promise<OpenedCheckout> {
  if (wanted.offer.kind !== 'subscription') {
    return opened(await createSession(deps, wanted, randomUUID()), wanted);
  }
  const deadline = deps.now() + WAIT_MS;
  let { buyer } = wanted;
  let waitedFor: string | null = null;
  while (deps.now() < deadline) {
    const wish = { lookupKey: wanted.offer.lookupKey, trial: wanted.trialDays > 0 };
    const decision = decideClaim(buyer.open, { ...wish, waitedFor }, deps.now());
    if (decision.kind === 'share') {
      return { ...decision, kind: 'opened', trial: wish.trial, shared: true };
    }
    if (decision.kind === 'wait') {
      waitedFor = buyer.open?.attempt ?? null;
      await sleep(60 + Math.random() * 120);
    } else {
      const open = { ...wish, attempt: randomUUID(), claimedAt: deps.now(), session: null };
      const claim = await claimCheckout(deps.firestore, wanted.uid, buyer.version, open);
      if (claim !== null) return carryOut(deps, { ...wanted, buyer }, claim, decision);
    }
    buyer = await readBuyer(deps.firestore, wanted.uid);
  }
  throw new Unavailable('Another checkout of this user is being opened; try again shortly.', 2);
}

/** Under a claim: closes what was open before, makes the session, and lets go of the claim if it cannot. */
async function carryOut(
  deps: Deps,
  wanted: Wanted,
  claim: Claim,
  before: { readonly kind: 'claim' | 'sweep' } | { readonly kind: 'replace'; readonly sessionId: string },
): Promise<OpenedCheckout> {
  const { firestore } = deps;
  let session: CheckoutSession;
  try {
    const stripe = await deps.stripe();
    if (before.kind === 'sweep' && wanted.buyer.customerId !== null) {
      await closeOpenSessions(stripe, wanted.buyer.customerId);
    }
    const closed =
      before.kind === 'replace' ? await closeCheckoutSession(stripe, before.sessionId) : 'unused';
    if (closed === 'subscribed') {
      await settleClaim(firestore, wanted.uid, claim, null);
      return { kind: 'refused', code: 'already_subscribed' };
    }
    session = await createSession(deps, wanted, claim.open.attempt);
  } catch (error) {
    await settleClaim(firestore, wanted.uid, claim, null);
    throw error;
  }
  if (await settleClaim(firestore, wanted.uid, claim, session)) return opened(session, wanted);
  await closeCheckoutSession(await deps.stripe(), session.id);
  throw new Unavailable('The provider took too long to open the checkout; try again.', 1);
}

async function createSession(deps: Deps, wanted: Wanted, attempt: string): Promise<CheckoutSession> {
  const stripe = await deps.stripe();
  const customerId = wanted.buyer.customerId ?? (await makeCustomer(deps, stripe, wanted.uid, null));
  try {
    return await trySession(deps, stripe, wanted, customerId, attempt);
  } catch (error) {
    if (isUnknownPrice(error)) {
      deps.prices.forget(wanted.offer.lookupKey);
      return trySession(deps, stripe, wanted, customerId, `${attempt}_price`);
    }
    if (!isUnknownCustomer(error)) throw error;
    const successor = await makeCustomer(deps, stripe, wanted.uid, customerId);
    return trySession(deps, stripe, wanted, successor, `${attempt}_customer`);
  }
}

async function trySession(
  deps: Deps,
  stripe: Stripe,
  { uid, offer, trialDays }: Wanted,
  customerId: string,
  attempt: string,
): Promise<CheckoutSession> {
  const { id, credits, monthlyCredits } = await deps.prices.resolve(offer);
  const { kind, lookupKey } = offer;
  const purchase = { uid, kind, lookupKey, priceId: id, credits, monthlyCredits };
  return createCheckoutSession(stripe, deps.config, { purchase, customerId, trialDays, attempt });
}

async function makeCustomer(deps: Deps, stripe: Stripe, uid: Uid, lost: string | null): Promise<string> {
  const customerId = await createCustomer(stripe, uid, deps.now(), lost);
  return keepCustomer(deps.firestore, uid, customerId, lost);
}

function opened(session: CheckoutSession, { trialDays }: Wanted): OpenedCheckout {
  const { id, url } = session;
  return { kind: 'opened', url, sessionId: id, trial: trialDays > 0, shared: false };
}
