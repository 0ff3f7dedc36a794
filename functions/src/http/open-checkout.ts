import { randomUUID } from 'node:crypto';
import type { Millis } from '@extension-billing/contract/customer';
import type { PackOffer, PlanOffer } from '@extension-billing/contract/pricing';
import type { AppDeps } from '../deps.ts';
import type { Uid } from '../domain/uid.ts';
import type { Prices } from '../provider/prices.ts';
import { Unavailable } from './answer.ts';
import type { CheckoutDeps } from './checkout-session.ts';
import { TooManyRequests } from './limit-rate.ts';
import { type CountedPack, countPack, openPack } from './open-pack.ts';
import { openPlan } from './open-plan.ts';
import { CheckoutsSpent, type OpenedCheckout } from './opened-checkout.ts';
import { SharedRuns, TooManyWaiting } from './shared-runs.ts';

/** Requests of one user that wait for another one of theirs, in an instance. */
const MAX_WAITING = 20;

/** Checkouts that an instance has at the provider at once: its rate limit is shared by all users and all instances. */
const MAX_AT_PROVIDER = 20;

/** Users remembered as having spent their checkouts, before those whose minute is over are forgotten. */
const MAX_REMEMBERED = 1_000;

/** Opens a hosted checkout for one offer. */
export type OpenCheckout = (uid: Uid, offer: PlanOffer | PackOffer) => Promise<OpenedCheckout>;

/**
 * Opens hosted checkouts, and keeps one user from using up what all share
 * (docs/decisions/0112-checkouts-a-minute.md): ten a minute for each user on all instances together, few pages of packs
 * at once, equal requests at once as one, and so many at the provider for an instance.
 *
 * What it opens throws TooManyRequests for a user who opened too many, Unavailable where it is too busy or another
 * instance is opening the same, and what the provider threw.
 */
export function checkouts(app: AppDeps, prices: Prices): OpenCheckout {
  const plans = new SharedRuns<OpenedCheckout>(MAX_WAITING);
  const packs = new SharedRuns<CountedPack | null>(MAX_WAITING);
  /** Who has spent the minute's checkouts: told from here until then, without a look at the store. */
  const spent = new Map<Uid, Millis>();
  let atProvider = 0;
  // Made at the first request: the SDKs behind them are loaded when they are looked at.
  const depsOf = (): CheckoutDeps => ({ ...app, prices });

  const open: OpenCheckout = async (uid, offer) => {
    requireNotSpent(uid);
    const deps = depsOf();
    if (offer.kind !== 'pack') {
      const { result, shared } = await plans.join(uid, offer.lookupKey, () =>
        bounded(() => openPlan(deps, uid, offer)),
      );
      return result.kind === 'opened' && shared ? { ...result, shared } : result;
    }
    const { result: counted } = await packs.join(uid, randomUUID(), async () => {
      requireNotSpent(uid);
      return countPack(deps, uid);
    });
    if (counted === null) return { kind: 'refused', code: 'account_deleted' };
    return bounded(() => openPack(deps, uid, offer, counted));
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

  return async (uid, offer) => {
    try {
      return await open(uid, offer);
    } catch (error) {
      if (error instanceof TooManyWaiting) throw new TooManyRequests(1, 'checkouts');
      if (!(error instanceof CheckoutsSpent)) throw error;
      remember(uid, error.until);
      throw new TooManyRequests(Math.max(1, Math.ceil((error.until - app.now()) / 1000)), 'checkouts');
    }
  };
}
