import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlanOffer, PurchaseKind } from '@extension-billing/contract/pricing';
import { type ClaimDecision, decideCheckout, decideClaim, type OpenCheckout } from '../domain/checkout.ts';
import { admitCheckout } from '../domain/checkout-limit.ts';
import type { Uid } from '../domain/uid.ts';
import { hasRunningPlan } from '../provider/own-subscriptions.ts';
import {
  bothClosed,
  type CheckoutSession,
  type ClosedCheckout,
  closeCheckoutSession,
  closeOpenPlans,
} from '../provider/sessions.ts';
import { type Buyer, readBuyer } from '../store/checkout-buyer.ts';
import { type Claim, claimCheckout, settleClaim } from '../store/checkout-claim.ts';
import { Unavailable } from './answer.ts';
import { type CheckoutDeps, makeSession } from './checkout-session.ts';
import { CheckoutsSpent, type OpenedCheckout } from './opened-checkout.ts';

/**
 * When the store is looked at while another instance makes the same user's checkout, or the webhook wrote in between:
 * waits in milliseconds. All of them together hold a slot for under four seconds; the caller is told to come again then.
 */
const LOOKS = [0, 120, 250, 500, 1_000, 1_500] as const;

/**
 * Opens a plan's hosted checkout, one at a time for each user in an instance (http/open-checkout.ts).
 *
 * A user has at most one open checkout of a plan, subscription or lifetime: nobody needs two, and both could be
 * paid. It is claimed in the store before the provider is asked; an earlier session is closed before its successor
 * is made, and asked whether it was paid, also when it ran out long ago; requests that waited for an equal one share
 * its session. So only one session ever carries the trial, and one that is left unused costs none
 * (docs/decisions/0021-one-open-plan-checkout.md, 0111-paid-pages-are-asked.md).
 */
export async function openPlan(deps: CheckoutDeps, uid: Uid, offer: PlanOffer): Promise<OpenedCheckout> {
  let waitedFor: string | null = null;
  for (const wait of LOOKS) {
    if (wait > 0) await sleep(wait * (0.75 + Math.random() / 2));
    const buyer = await readBuyer(deps.firestore, uid);
    if (buyer.isDeleted) return { kind: 'refused', code: 'account_deleted' };
    const allowed = decideCheckout(offer, buyer.record, deps.config.trialDays, buyer.open);
    if (allowed.kind === 'refused') return allowed;
    const trial = allowed.trialDays > 0;
    const { lookupKey } = offer;
    const decision = decideClaim(buyer.open, { lookupKey, trial, waitedFor }, deps.now());
    if (decision.kind === 'share') return { ...decision, kind: 'opened', trial, shared: true };
    if (decision.kind === 'wait') {
      waitedFor = buyer.open?.attempt ?? null;
      continue;
    }
    const admission = admitCheckout(buyer.recent, 'plan', deps.now());
    if (admission.kind === 'refused') throw new CheckoutsSpent(admission.until);
    const open = newClaim(buyer, decision, { lookupKey, trial, now: deps.now() });
    const claim = await claimCheckout(deps.firestore, uid, buyer.version, open, admission.recent);
    if (claim === null) continue;
    return carryOut(deps, { uid, offer, buyer, trialDays: allowed.trialDays }, claim, decision);
  }
  throw new Unavailable('Another checkout of this user is being opened; try again shortly.', 2);
}

type Begun = Exclude<ClaimDecision, { kind: 'wait' | 'share' }>;

function newClaim(
  { open }: Buyer,
  decision: Begun,
  { lookupKey, trial, now }: Pick<OpenCheckout, 'lookupKey' | 'trial'> & { readonly now: number },
): OpenCheckout {
  const before = decision.kind === 'claim' ? null : decision.sessionId;
  return {
    attempt: randomUUID(),
    lookupKey,
    trial,
    claimedAt: now,
    session: null,
    // Should this process end now, the next request still knows which session to ask about.
    ...(before !== null && { before }),
    ...(open?.trialUsed === true && { trialUsed: true }),
  };
}

interface Wanted {
  readonly uid: Uid;
  readonly offer: PlanOffer;
  readonly buyer: Buyer;
  readonly trialDays: number;
}

/** Under a claim: closes what was open before, then makes the session. What it cannot do, the next request can. */
async function carryOut(
  deps: CheckoutDeps,
  { uid, offer, buyer, trialDays }: Wanted,
  claim: Claim,
  decision: Begun,
): Promise<OpenedCheckout> {
  const settle = (open: OpenCheckout | null) => settleClaim(deps.firestore, uid, claim, open);
  const closed = await closeEarlier(deps, uid, buyer, decision).catch(async (error: unknown) => {
    // It may still be open, or paid: the next request has to look again.
    await settle(buyer.open);
    throw error;
  });
  const trialUsed = claim.open.trialUsed === true || closed.trialUsed;
  const code = refusalOf(offer.kind, closed);
  if (code !== null) {
    await settle(buyer.open === null ? null : { ...buyer.open, ...(trialUsed && { trialUsed }) });
    return { kind: 'refused', code };
  }
  const { before: _, ...own } = claim.open;
  const days = trialUsed ? 0 : trialDays;
  const made: OpenCheckout = { ...own, trial: days > 0, ...(trialUsed && { trialUsed }) };
  const session = await newSession(deps, { uid, offer, buyer, trialDays: days }, made.attempt).catch(
    async (error: unknown) => {
      // The provider may have made it and only the answer was lost: the next request closes whatever is open.
      await settle({ ...made, claimedAt: 0 });
      throw error;
    },
  );
  if (await settle({ ...made, session })) {
    return { kind: 'opened', url: session.url, sessionId: session.id, trial: made.trial, shared: false };
  }
  await closeCheckoutSession(await deps.stripe(), session.id);
  throw new Unavailable('The provider took too long to open the checkout; try again.', 1);
}

function newSession(
  deps: CheckoutDeps,
  { uid, offer, buyer, trialDays }: Wanted,
  attempt: string,
): Promise<CheckoutSession> {
  return makeSession(deps, { uid, offer, customerId: buyer.customerId, trialDays, attempt });
}

async function closeEarlier(
  deps: CheckoutDeps,
  uid: Uid,
  { customerId, unheardCustomer }: Buyer,
  decision: Begun,
): Promise<ClosedCheckout> {
  const stripe = await deps.stripe();
  const isHeard = unheardCustomer === null;
  const runs = !isHeard && (await hasRunningPlan(stripe, uid, unheardCustomer, deps.config.project));
  const imported: ClosedCheckout = { kind: runs ? 'subscribed' : 'unused', trialUsed: false };
  if (decision.kind === 'claim') return imported;
  const { sessionId } = decision;
  const named =
    sessionId === null ? imported : bothClosed(imported, await closeCheckoutSession(stripe, sessionId));
  if (decision.kind === 'replace' || customerId === null) return named;
  return bothClosed(named, await closeOpenPlans(stripe, customerId));
}

/** The earlier checkout was paid, or an imported plan runs on, and no event has told: that stands in the way. */
function refusalOf(
  wanted: PurchaseKind,
  { kind }: ClosedCheckout,
): 'already_subscribed' | 'already_owned' | null {
  if (kind === 'owned') return 'already_owned';
  return kind === 'subscribed' && wanted === 'subscription' ? 'already_subscribed' : null;
}
