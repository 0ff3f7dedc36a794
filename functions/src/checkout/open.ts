import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Catalog, grantsOf, type PlanOffer } from '@extension-billing/contract/catalog';
import { type Millis, planKindOf } from '@extension-billing/contract/customer';
import type { AppDeps } from '../deps.ts';
import { reopenAccount } from '../events/deletion.ts';
import { besideLifetime, unheardCustomer } from '../events/entitlement.ts';
import { Unavailable } from '../http/answer.ts';
import { TooManyRequests } from '../http/gates.ts';
import type { Uid } from '../store/documents.ts';
import type { Prices } from '../stripe/prices.ts';
import { grantsSold } from '../stripe/sale.ts';
import { sellerOf } from '../stripe/seal.ts';
import {
  bothClosed,
  type CheckoutSession,
  type ClosedCheckout,
  closeCheckoutSession,
  closeOldestPacks,
  closeOpenPlans,
} from '../stripe/sessions.ts';
import { hasRunningPlan } from '../stripe/subscriptions.ts';
import {
  type Buyer,
  type Claim,
  claimCheckout,
  countCheckout,
  currencyOf,
  readBuyer,
  settleClaim,
} from './buyer.ts';
import {
  addsTo,
  admitCheckout,
  type ClaimDecision,
  decideCheckout,
  decideClaim,
  MAX_OPEN_PACKS,
  type OpenCheckout,
  type Order,
} from './decide.ts';
import { type CheckoutDeps, CheckoutsSpent, makeSession, type OpenedCheckout } from './sessions.ts';
import { SharedRuns, TooManyWaiting } from './shared-runs.ts';

/** Requests of one user that wait for another one of theirs, in an instance. */
const MAX_WAITING = 20;

/** Checkouts that an instance has at the provider at once: its rate limit is shared by all users and all instances. */
const MAX_AT_PROVIDER = 20;

/** Users remembered as having spent their checkouts, before those whose minute is over are forgotten. */
const MAX_REMEMBERED = 1_000;

/** Opens a hosted checkout for one offer. */
type OpenForUser = (uid: Uid, order: Order) => Promise<OpenedCheckout>;

const isOfPlan = (order: Order): order is Order<PlanOffer> => order.offer.kind !== 'pack';

/**
 * Opens hosted checkouts, and keeps one user from using up what all share
 * (docs/decisions/checkout.md): ten a minute for each user on all instances together, few pages of packs
 * at once, equal requests at once as one, and so many at the provider for an instance.
 *
 * What it opens throws TooManyRequests for a user who opened too many, Unavailable where it is too busy or another
 * instance is opening the same, and what the provider threw.
 */
export function checkouts(app: AppDeps, prices: Prices): OpenForUser {
  const plans = new SharedRuns<OpenedCheckout>(MAX_WAITING);
  const packs = new SharedRuns<CountedPack | null>(MAX_WAITING);
  /** Who has spent the minute's checkouts: refused from here until then, without a look at the store. */
  const spent = new Map<Uid, Millis>();
  let atProvider = 0;
  // Made at the first request: the SDKs behind them are loaded when they are looked at.
  const depsOf = (): CheckoutDeps => ({ ...app, prices });

  const open: OpenForUser = async (uid, order) => {
    requireNotSpent(uid);
    const deps = depsOf();
    if (isOfPlan(order)) {
      const equal = `${order.currency} ${order.offer.lookupKey}`;
      const { result, shared } = await plans.join(uid, equal, () =>
        bounded(() => openPlan(deps, uid, order)),
      );
      return result.kind === 'opened' && shared ? { ...result, shared } : result;
    }
    const { result: counted } = await packs.join(uid, randomUUID(), async () => {
      requireNotSpent(uid);
      return countPack(deps, uid);
    });
    if (counted === null) return { kind: 'refused', code: 'account_deleted' };
    return bounded(() => openPack(deps, uid, order, counted));
  };

  async function bounded<Result>(work: () => Promise<Result>): Promise<Result> {
    if (atProvider >= MAX_AT_PROVIDER) {
      throw new Unavailable('Many checkouts are being opened at the moment; try again shortly.', 2);
    }
    atProvider += 1;
    try {
      return await work();
    } finally {
      atProvider -= 1;
    }
  }

  function requireNotSpent(uid: Uid): void {
    const until = spent.get(uid) ?? 0;
    if (until > app.now()) throw new CheckoutsSpent(until);
    spent.delete(uid);
  }

  function remember(uid: Uid, until: Millis): void {
    if (spent.size > MAX_REMEMBERED) {
      for (const [other, over] of spent) if (over <= app.now()) spent.delete(other);
    }
    spent.set(uid, until);
  }

  return async (uid, order) => {
    try {
      return await open(uid, order);
    } catch (error) {
      if (error instanceof TooManyWaiting) throw new TooManyRequests(1, 'checkouts');
      if (!(error instanceof CheckoutsSpent)) throw error;
      remember(uid, error.until);
      throw new TooManyRequests(Math.max(1, Math.ceil((error.until - app.now()) / 1000)), 'checkouts');
    }
  };
}

/**
 * When the store is looked at while another instance makes the same user's checkout, or the webhook wrote in between:
 * waits in milliseconds. All of them together hold a slot for under four seconds; the caller is asked to come again then.
 */
const LOOKS = [0, 120, 250, 500, 1_000, 1_500] as const;

/**
 * Opens a plan's hosted checkout, one at a time for each user in an instance (http/open-checkout.ts).
 *
 * A user has at most one open checkout of a plan, subscription or lifetime: nobody needs two, and both could be
 * paid. It is claimed in the store before the provider is asked; an earlier session is closed before its successor
 * is made, and asked whether it was paid, also when it ran out long ago; requests that waited for an equal one share
 * its session. So only one session ever carries the trial, and one that is left unused costs none
 * (docs/decisions/checkout.md, checkout.md).
 */
async function openPlan(deps: CheckoutDeps, uid: Uid, order: Order<PlanOffer>): Promise<OpenedCheckout> {
  const { offer, currency } = order;
  let waitedFor: string | null = null;
  for (const wait of LOOKS) {
    if (wait > 0) await sleep(wait * (0.75 + Math.random() / 2));
    const buyer = await readOpenBuyer(deps, uid);
    if (buyer.isDeleted) return { kind: 'refused', code: 'account_deleted' };
    const allowed = decideCheckout(
      offer,
      buyer.record,
      deps.config.trialDays ?? deps.catalog().trialDays,
      buyer.open,
      ownedBy(buyer, deps.catalog()),
    );
    if (allowed.kind === 'refused') return allowed;
    const trial = allowed.trialDays > 0;
    const wanted = { lookupKey: offer.lookupKey, ...(currency !== null && { currency }), trial };
    const decision = decideClaim(buyer.open, { ...wanted, waitedFor }, deps.now());
    if (decision.kind === 'share') return { ...decision, kind: 'opened', trial, shared: true };
    if (decision.kind === 'wait') {
      waitedFor = buyer.open?.attempt ?? null;
      continue;
    }
    const admission = admitCheckout(buyer.recent, 'plan', deps.now());
    if (admission.kind === 'refused') throw new CheckoutsSpent(admission.until);
    const open = newClaim(buyer, decision, { ...wanted, now: deps.now() });
    const claim = await claimCheckout(deps.firestore, uid, buyer.version, open, admission.recent);
    if (claim === null) continue;
    return carryOut(deps, { uid, order, buyer, trialDays: allowed.trialDays }, claim, decision);
  }
  throw new Unavailable('Another checkout of this user is being opened; try again shortly.', 2);
}

/** Reads a buyer, and opens a deleted account that may be opened (events/deletion.ts). */
export async function readOpenBuyer(deps: Parameters<typeof reopenAccount>[0], uid: Uid): Promise<Buyer> {
  const buyer = await readBuyer(deps.firestore, uid);
  const isReopened = buyer.isDeleted && (await reopenAccount(deps, uid));
  return isReopened ? readBuyer(deps.firestore, uid) : buyer;
}

type Begun = Exclude<ClaimDecision, { kind: 'wait' | 'share' }>;

function newClaim(
  { open }: Buyer,
  decision: Begun,
  { now, ...wanted }: Pick<OpenCheckout, 'lookupKey' | 'currency' | 'trial'> & { readonly now: number },
): OpenCheckout {
  const before = decision.kind === 'claim' ? null : decision.sessionId;
  return {
    attempt: randomUUID(),
    ...wanted,
    claimedAt: now,
    session: null,
    // Should this process end now, the next request still knows which session to ask about.
    ...(before !== null && { before }),
    ...(open?.trialUsed === true && { trialUsed: true }),
  };
}

interface Wanted {
  readonly uid: Uid;
  readonly order: Order<PlanOffer>;
  readonly buyer: Buyer;
  readonly trialDays: number;
}

/** Under a claim: closes what was open before, then makes the session. What it cannot do, the next request can. */
async function carryOut(
  deps: CheckoutDeps,
  { uid, order, buyer, trialDays }: Wanted,
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
  const code = refusalOf(order.offer, closed, buyer, deps.catalog());
  if (code !== null) {
    await settle(buyer.open === null ? null : { ...buyer.open, ...(trialUsed && { trialUsed }) });
    return { kind: 'refused', code };
  }
  const { before: _, ...own } = claim.open;
  const days = trialUsed ? 0 : trialDays;
  const made: OpenCheckout = { ...own, trial: days > 0, ...(trialUsed && { trialUsed }) };
  const session = await newSession(deps, { uid, order, buyer, trialDays: days }, made.attempt).catch(
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
  { uid, order, buyer, trialDays }: Wanted,
  attempt: string,
): Promise<CheckoutSession> {
  const billedIn = currencyOf(buyer);
  return makeSession(deps, { uid, order, billedIn, customerId: buyer.customerId, trialDays, attempt });
}

async function closeEarlier(
  deps: CheckoutDeps,
  uid: Uid,
  { customerId, facts }: Buyer,
  decision: Begun,
): Promise<ClosedCheckout> {
  const stripe = await deps.stripe();
  const seller = sellerOf(deps);
  const unheard = facts === null ? null : unheardCustomer(facts, seller.catalog);
  const runs = unheard !== null && (await hasRunningPlan(stripe, uid, unheard, seller));
  const imported: ClosedCheckout = { kind: runs ? 'subscribed' : 'unused', trialUsed: false };
  if (decision.kind === 'claim') return imported;
  const { sessionId } = decision;
  const named =
    sessionId === null ? imported : bothClosed(imported, await closeCheckoutSession(stripe, sessionId));
  if (decision.kind === 'replace' || customerId === null) return named;
  return bothClosed(named, await closeOpenPlans(stripe, customerId));
}

/**
 * The earlier checkout was paid, or an imported plan runs on, and no event has said so: that stands in the way, unless the
 * offer entitles to more than a lifetime plan that was paid.
 */
function refusalOf(
  offer: PlanOffer,
  { kind, owned = [], isSubscribed = kind === 'subscribed' }: ClosedCheckout,
  buyer: Buyer,
  catalog: Catalog,
): 'already_subscribed' | 'already_owned' | null {
  const bought = owned.flatMap((metadata) => grantsSold(metadata, catalog));
  if (kind === 'owned' && !addsTo([...ownedBy(buyer, catalog), ...bought], offer)) return 'already_owned';
  return isSubscribed && offer.kind === 'subscription' ? 'already_subscribed' : null;
}

/** What a user's lifetime plans entitle to beside `paid`, as far as is known. */
function ownedBy({ record, facts }: Buyer, catalog: Catalog): readonly string[] {
  if (facts !== null) return besideLifetime(facts, catalog)?.owned ?? [];
  // An account that was brought along: nothing more is known of its plan than its name.
  return record === null || planKindOf(record) !== 'lifetime' ? [] : grantsOf(catalog, record.plan);
}

/** A pack's checkout that was counted, so that it may be opened. */
interface CountedPack {
  readonly buyer: Buyer;
  /** As many pages of packs are open as may be: the oldest is closed first. */
  readonly closesOldest: boolean;
}

/** Other instances may count a checkout of the same user in between; this many in a row do not. */
const MAX_TRIES = 6;

/**
 * Counts a checkout of a pack; null where the account is deleted. One at a time for each user in an instance.
 *
 * @throws CheckoutsSpent where the user opened as many as may be in a minute
 */
async function countPack(deps: CheckoutDeps, uid: Uid): Promise<CountedPack | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const buyer = await readOpenBuyer(deps, uid);
    if (buyer.isDeleted) return null;
    const admission = admitCheckout(buyer.recent, 'pack', deps.now());
    if (admission.kind === 'refused') throw new CheckoutsSpent(admission.until);
    if (await countCheckout(deps.firestore, uid, buyer.version, admission.recent)) {
      return { buyer, closesOldest: admission.closesOldest };
    }
    await sleep((20 + Math.random() * 60) * 2 ** tries);
  }
  throw new Unavailable('Other checkouts of this user are being opened; try again shortly.', 1);
}

/**
 * Packs may be bought side by side, so each checkout has a page of its own. No claim shows that the account is
 * deleted meanwhile, so it looks afterwards: a deletion that is marked by then may have listed what is open before this
 * page was, and one that is not will find it.
 */
async function openPack(
  deps: CheckoutDeps,
  uid: Uid,
  order: Order,
  { buyer, closesOldest }: CountedPack,
): Promise<OpenedCheckout> {
  const { customerId } = buyer;
  if (closesOldest && customerId !== null) {
    await closeOldestPacks(await deps.stripe(), customerId, MAX_OPEN_PACKS - 1);
  }
  const session = await makeSession(deps, {
    ...{ uid, order, customerId, billedIn: currencyOf(buyer) },
    ...{ trialDays: 0, attempt: randomUUID() },
  });
  if ((await readBuyer(deps.firestore, uid)).isDeleted) {
    await closeCheckoutSession(await deps.stripe(), session.id);
    return { kind: 'refused', code: 'account_deleted' };
  }
  return { kind: 'opened', url: session.url, sessionId: session.id, trial: false, shared: false };
}
