import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { connect } from '../../packages/cli/src/support/connect.ts';
import { claimCheckout, readBuyer } from '../src/checkout/buyer.ts';
import { NO_CHECKOUTS } from '../src/checkout/decide.ts';
import { beginDeletion } from '../src/events/deletion.ts';
import { grantByHand } from '../src/events/grants.ts';
import { checkUser } from '../src/reconcile/user.ts';
import { aGuest, auth, firestore, signInAs } from './app/emulated-user.ts';
import { providerError } from './app/fake-provider.ts';
import { serveApp } from './app/serve-app.ts';
import { post, provider, servers } from './app/suite.ts';
import { aBuyer } from './fixtures/buyer.ts';
import { requestsTo } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();
const connection = connect(undefined, process.env);
const BY = { actor: 'person:test', reason: 'a test' };
const NO_LIMIT = { creditsPerDay: 1_000_000, grantsPerDay: 1_000 };

const remove = (idToken: string, base: string = servers['direct server']) =>
  post(`${base}/account/delete`, '{}', { authorization: `Bearer ${idToken}` });
const authUser = (uid: string) => auth.getUser(uid).catch((error: { code: string }) => error.code);

/** Opens once; `passed` resolves then. */
function aGate(): readonly [open: () => void, passed: Promise<void>] {
  const { promise, resolve } = Promise.withResolvers<void>();
  return [resolve, promise];
}

describe('POST /account/delete', () => {
  it('ends the subscription and the sign-in, gives up the credits, and keeps the books', async () => {
    const buyer = await aBuyer();
    await buyer.buy(PLAN.metered);
    await buyer.buy(PACK.small);
    await simulator.delivered();
    await buyer.consume('demo');
    const ledger = await buyer.ledger();

    expect(await remove(buyer.idToken)).toMatchObject({
      status: 200,
      body: { deleted: true, canceledSubscriptions: 1 },
    });
    expect(await authUser(buyer.uid)).toBe('auth/user-not-found');
    expect((await stripe.subscriptions.retrieve(await buyer.subscription())).status).toBe('canceled');

    await simulator.delivered();
    expect(await buyer.record()).toMatchObject({ paid: false, status: 'canceled', creditsAllowance: 0 });
    expect(await buyer.credits()).toEqual({ allowance: 0, packs: 0 });
    expect([...(await buyer.ledger()).keys()]).toEqual(expect.arrayContaining([...ledger.keys()]));
    expect((await stripe.customers.retrieve(await buyer.customer())).deleted).toBeUndefined();
  });

  it('closes every open checkout, and opens no other for a token that is still valid', async () => {
    const buyer = await aBuyer();
    const open = [await buyer.checkout(PLAN.monthly), await buyer.checkout(PACK.large)];
    expect(open.map(({ status, body }) => [status, body.code])).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    await remove(buyer.idToken);
    for (const { body } of open) {
      expect((await stripe.checkout.sessions.retrieve(String(body.sessionId))).status).toBe('expired');
    }
    for (const lookupKey of [PLAN.monthly, PACK.small]) {
      expect(await buyer.checkout(lookupKey)).toMatchObject({
        status: 403,
        body: { code: 'account_deleted' },
      });
    }
  });

  it('takes the claim from a checkout that is being opened', async () => {
    const { uid, idToken } = await aBuyer();
    const claimed = await claimCheckout(
      firestore,
      uid,
      (await readBuyer(firestore, uid)).version,
      {
        attempt: 'under way',
        lookupKey: PLAN.monthly,
        trial: true,
        claimedAt: Date.now(),
        session: null,
      },
      NO_CHECKOUTS,
    );
    expect(claimed).not.toBeNull();
    await remove(idToken);
    expect((await readBuyer(firestore, uid)).open).toBeNull();
  });

  it('closes a pack’s checkout that was being opened at that moment, and answers that the account is gone', async () => {
    const buyer = await aBuyer();
    await buyer.checkout(PACK.small);
    const create: typeof stripe.checkout.sessions.create = async (...wish) => {
      await remove(buyer.idToken);
      return stripe.checkout.sessions.create(...wish);
    };
    const sessions = Object.assign(Object.create(stripe.checkout.sessions), { create });
    const deleting = Object.assign(Object.create(stripe), { checkout: { sessions } });
    const base = await serveApp({ firestore, auth, stripe: async () => deleting });
    expect(await buyer.checkout(PACK.small, base)).toMatchObject({
      status: 403,
      body: { code: 'account_deleted' },
    });
    const customer = await buyer.customer();
    expect((await stripe.checkout.sessions.list({ customer, status: 'open' })).data).toEqual([]);
  });

  it('repeated or at once, ends the same', async () => {
    const buyer = await aBuyer();
    await buyer.buy(PLAN.monthly);
    await simulator.delivered();
    const answers = await Promise.all([1, 2, 3].map(() => remove(buyer.idToken)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.reduce((sum, { body }) => sum + Number(body.canceledSubscriptions), 0)).toBe(1);
    expect(await remove(buyer.idToken)).toMatchObject({ status: 200, body: { canceledSubscriptions: 0 } });
  });

  it('stays deleted if one of two at once fails, whichever ends first', async () => {
    for (const failsFirst of [true, false]) {
      const buyer = await aBuyer();
      await buyer.buy(PLAN.monthly);
      await simulator.delivered();
      const [looked, hasLooked] = aGate();
      const [goOn, mayGoOn] = aGate();
      const failing = async () => {
        looked();
        await mayGoOn;
        throw providerError('StripeConnectionError');
      };
      const slow = async () => {
        looked();
        await mayGoOn;
        return stripe;
      };
      const first = await serveApp({ firestore, auth, stripe: failsFirst ? slow : failing });
      const earlier = remove(buyer.idToken, first);
      await hasLooked;
      const down = async () => Promise.reject(providerError('StripeConnectionError'));
      const second = await serveApp({
        firestore,
        auth,
        ...(failsFirst ? { stripe: down } : { stripe: async () => stripe }),
      });
      const later = await remove(buyer.idToken, second);
      expect(later.status).toBe(failsFirst ? 502 : 200);
      expect(await buyer.checkout(PLAN.monthly)).toMatchObject({
        status: 403,
        body: { code: 'account_deleted' },
      });
      goOn();
      expect(await earlier).toMatchObject({ status: 200 });
      expect(await authUser(buyer.uid)).toBe('auth/user-not-found');
      expect(await buyer.checkout(PLAN.monthly)).toMatchObject({
        status: 403,
        body: { code: 'account_deleted' },
      });
      expect((await stripe.subscriptions.retrieve(await buyer.subscription())).status).toBe('canceled');
    }
  });

  it('lets a uid that signs in again buy anew: nothing of the old account comes back, and no second trial', async () => {
    const buyer = await aBuyer();
    await buyer.buy(PLAN.metered);
    await simulator.delivered();
    await buyer.buy(PLAN.lifetime);
    await buyer.buy(PACK.small);
    await simulator.delivered();
    const { deps } = await connection;
    const gift = {
      ...BY,
      key: 'a gift',
      credits: 7,
      ends: null,
      entitlement: 'paid',
      until: Date.now() + 86_400_000,
    };
    expect(await grantByHand(deps, buyer.uid, gift, NO_LIMIT)).toMatchObject({ kind: 'done' });
    await remove(buyer.idToken);
    await simulator.delivered();
    expect(await buyer.checkout(PACK.small)).toMatchObject({ status: 403 });

    const idToken = await signInAs(buyer.uid);
    const account = async () => (await requestsTo(servers['direct server'], idToken).balance()) as object;
    expect(await buyer.record()).toMatchObject({ paid: false, plan: null, trialUsed: true });
    expect(await account()).toMatchObject({ balance: 0 });
    expect((await checkUser(deps, buyer.uid)).differences).toEqual([]);
    const again = await buyer.checkout(PLAN.metered);
    expect(again.status).toBe(200);
    const session = await stripe.checkout.sessions.retrieve(String(again.body.sessionId));
    await simulator.pay(session.id);
    await buyer.buy(PACK.small);
    await simulator.delivered();
    expect(await buyer.record()).toMatchObject({ paid: true, plan: PLAN.metered, status: 'active' });
    expect(await buyer.credits()).toEqual({ allowance: 1000, packs: 100 });
    expect(await grantByHand(deps, buyer.uid, { ...gift, key: 'another' }, NO_LIMIT)).toMatchObject({
      kind: 'done',
    });
    expect(await buyer.credits()).toEqual({ allowance: 1000, packs: 107 });
    expect((await checkUser(deps, buyer.uid)).differences).toEqual([]);
  });

  it('keeps an account whose deletion crashed before anything was ended: its plan can be changed again', async () => {
    const buyer = await aBuyer();
    await buyer.buy(PLAN.monthly);
    await simulator.delivered();
    const change = () =>
      post(`${servers['direct server']}/billing/change`, JSON.stringify({ lookup_key: PLAN.yearly }), {
        authorization: `Bearer ${buyer.idToken}`,
      });
    await beginDeletion(firestore, buyer.uid, Date.now() - 11 * 60_000);
    expect(await change()).toMatchObject({ status: 200 });
    await beginDeletion(firestore, buyer.uid, Date.now());
    expect(await change()).toMatchObject({ status: 403, body: { code: 'account_deleted' } });
  });

  it('asks the provider nothing about somebody who never bought', async () => {
    const { uid, idToken } = await aBuyer();
    const base = await serveApp({ firestore, auth });
    expect(await remove(idToken, base)).toMatchObject({ status: 200, body: { canceledSubscriptions: 0 } });
    expect(await authUser(uid)).toBe('auth/user-not-found');
  });

  it('refuses a sign-in of more than five minutes ago', async () => {
    const { uid, idToken } = await aBuyer();
    const base = await serveApp({ firestore, auth, now: () => Date.now() + 6 * 60_000 });
    expect(await remove(idToken, base)).toMatchObject({
      status: 403,
      body: { code: 'recent_sign_in_required' },
    });
    expect(await authUser(uid)).toMatchObject({ uid });
  });

  it('takes a guest at once, but no session of one that has added a sign-in since', async () => {
    const guest = await aGuest();
    expect(await remove(guest.idToken)).toMatchObject({ status: 200 });
    const former = await aGuest();
    await former.linkGoogle();
    const old = await former.renewedToken();
    expect(await remove(old)).toMatchObject({ status: 403, body: { code: 'recent_sign_in_required' } });
    expect(await authUser(former.uid)).toMatchObject({ uid: former.uid });
    expect(await remove(await former.signedIn())).toMatchObject({ status: 200 });
  });

  it('deletes nothing while the provider does not answer, and the account lives on', async () => {
    const buyer = await aBuyer();
    await buyer.buy(PLAN.monthly);
    await simulator.delivered();
    const down = async () =>
      Object.assign(Object.create(stripe), {
        subscriptions: {
          list: () => {
            throw providerError('StripeConnectionError');
          },
        },
      });
    const base = await serveApp({ firestore, auth, stripe: down });
    expect(await remove(buyer.idToken, base)).toMatchObject({
      status: 502,
      body: { code: 'provider_unavailable' },
    });
    expect(await authUser(buyer.uid)).toMatchObject({ uid: buyer.uid });
    expect((await readBuyer(firestore, buyer.uid)).isDeleted).toBe(false);
    expect(await remove(buyer.idToken)).toMatchObject({ status: 200, body: { canceledSubscriptions: 1 } });
  });
});
