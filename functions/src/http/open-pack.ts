import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PackOffer } from '@extension-billing/contract/pricing';
import { admitCheckout, MAX_OPEN_PACKS } from '../domain/checkout-limit.ts';
import type { Uid } from '../domain/uid.ts';
import { closeCheckoutSession, closeOldestPacks } from '../provider/sessions.ts';
import { type Buyer, readBuyer } from '../store/checkout-buyer.ts';
import { countCheckout } from '../store/checkout-claim.ts';
import { Unavailable } from './answer.ts';
import { type CheckoutDeps, makeSession } from './checkout-session.ts';
import { CheckoutsSpent, type OpenedCheckout } from './opened-checkout.ts';

/** A pack's checkout that was counted, so that it may be opened. */
export interface CountedPack {
  readonly buyer: Buyer;
  /** As many pages of packs are open as may be: the oldest is closed first. */
  readonly crowded: boolean;
}

/** Other instances may count a checkout of the same user in between; this many in a row do not. */
const MAX_TRIES = 6;

/**
 * Counts a checkout of a pack; null where the account is deleted. One at a time for each user in an instance.
 *
 * @throws CheckoutsSpent where the user opened as many as may be in a minute
 */
export async function countPack(deps: CheckoutDeps, uid: Uid): Promise<CountedPack | null> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const buyer = await readBuyer(deps.firestore, uid);
    if (buyer.isDeleted) return null;
    const admission = admitCheckout(buyer.recent, 'pack', deps.now());
    if (admission.kind === 'refused') throw new CheckoutsSpent(admission.until);
    if (await countCheckout(deps.firestore, uid, buyer.version, admission.recent)) {
      return { buyer, crowded: admission.crowded };
    }
    await sleep((20 + Math.random() * 60) * 2 ** tries);
  }
  throw new Unavailable('Other checkouts of this user are being opened; try again shortly.', 1);
}

/**
 * Packs may be bought side by side, so each checkout has a page of its own. No claim tells it that the account is
 * deleted meanwhile, so it looks afterwards: a deletion that is marked by then may have listed what is open before this
 * page was, and one that is not will find it.
 */
export async function openPack(
  deps: CheckoutDeps,
  uid: Uid,
  offer: PackOffer,
  { buyer, crowded }: CountedPack,
): Promise<OpenedCheckout> {
  const { customerId } = buyer;
  if (crowded && customerId !== null) {
    await closeOldestPacks(await deps.stripe(), customerId, MAX_OPEN_PACKS - 1);
  }
  const session = await makeSession(deps, { uid, offer, customerId, trialDays: 0, attempt: randomUUID() });
  if ((await readBuyer(deps.firestore, uid)).isDeleted) {
    await closeCheckoutSession(await deps.stripe(), session.id);
    return { kind: 'refused', code: 'account_deleted' };
  }
  return { kind: 'opened', url: session.url, sessionId: session.id, trial: false, shared: false };
}
