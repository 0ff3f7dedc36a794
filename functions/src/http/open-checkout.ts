import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stripe } from 'stripe';
import type { PackOffer, PlanOffer, PurchaseKind } from '../contract/pricing.ts';
import type { AppDeps } from '../deps.ts';
import { decideClaim, type OpenCheckout } from '../domain/checkout.ts';
import type { Uid } from '../domain/uid.ts';
import { createCustomer, isUnknownCustomer, isUnknownPrice } from '../provider/customers.ts';
import type { Prices } from '../provider/prices.ts';
import {
  type CheckoutSession,
  type ClosedCheckout,
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
  | { readonly kind: 'refused'; readonly code: 'already_subscribed' | 'already_owned' | 'account_deleted' };

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
 * A user has at most one open checkout of a plan, subscription or lifetime: nobody needs two, and both could be
 * paid. It is claimed in the store before the provider is asked, an earlier session is closed before its successor
 * is made, and requests that waited for an equal one share its session. So only one session ever carries the
 * trial, and one that is left unused costs none (docs/decisions/0021-one-open-plan-checkout.md).
 */
export async function openCheckout(deps: Deps, wanted: Wanted): Promise<OpenedCheckout> {
  if (wanted.offer.kind === 'pack') return openPack(deps, wanted);
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

/**
 * No claim tells a pack's checkout that the account is deleted meanwhile, so it looks afterwards: a deletion that is
 * marked by then may have listed what is open before this session was, and one that is not will find it.
 */
async function openPack(deps: Deps, wanted: Wanted): Promise<OpenedCheckout> {
  const session = await createSession(deps, wanted, randomUUID());
  if (!(await readBuyer(deps.firestore, wanted.uid)).isDeleted) return opened(session, wanted);
  await closeCheckoutSession(await deps.stripe(), session.id);
  return { kind: 'refused', code: 'account_deleted' };
}

/** Under a claim: closes what was open before, then makes the session. What it cannot do, the next request can. */
async function carryOut(
  deps: Deps,
  wanted: Wanted,
  claim: Claim,
  before: { readonly kind: 'claim' | 'sweep' } | { readonly kind: 'replace'; readonly sessionId: string },
): Promise<OpenedCheckout> {
  const { firestore } = deps;
  const settle = (open: OpenCheckout | null) => settleClaim(firestore, wanted.uid, claim, open);
  const closed = await closeEarlier(deps, wanted, before).catch(async (error: unknown) => {
    // It may still be open, or paid: the next request has to look again.
    await settle(wanted.buyer.open);
    throw error;
  });
  const code = refusalOf(wanted.offer.kind, closed);
  if (code !== null) {
    await settle(wanted.buyer.open);
    return { kind: 'refused', code };
  }
  const session = await createSession(deps, wanted, claim.open.attempt).catch(async (error: unknown) => {
    // The provider may have made it and only the answer was lost: the next request closes whatever is open.
    await settle({ ...claim.open, claimedAt: 0 });
    throw error;
  });
  if (await settle({ ...claim.open, session })) return opened(session, wanted);
  await closeCheckoutSession(await deps.stripe(), session.id);
  throw new Unavailable('The provider took too long to open the checkout; try again.', 1);
}

async function closeEarlier(
  deps: Deps,
  { buyer }: Wanted,
  before: Parameters<typeof carryOut>[3],
): Promise<ClosedCheckout> {
  if (before.kind === 'claim') return 'unused';
  const stripe = await deps.stripe();
  if (before.kind === 'replace') return closeCheckoutSession(stripe, before.sessionId);
  if (buyer.customerId !== null) await closeOpenSessions(stripe, buyer.customerId);
  return 'unused';
}

/** The earlier checkout was paid a moment ago, before its event came: what it bought stands in the way. */
function refusalOf(
  wanted: PurchaseKind,
  closed: ClosedCheckout,
): 'already_subscribed' | 'already_owned' | null {
  if (closed === 'owned') return 'already_owned';
  return closed === 'subscribed' && wanted === 'subscription' ? 'already_subscribed' : null;
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
