import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { claimCheckout, readBuyer } from '../src/checkout/buyer.ts';
import { NO_CHECKOUTS } from '../src/checkout/decide.ts';
import { aGuest, auth, firestore } from './app/emulated-user.ts';
import { providerError } from './app/fake-provider.ts';
import { serveApp } from './app/serve-app.ts';
import { post, provider, servers } from './app/suite.ts';
import { aBuyer } from './fixtures/buyer.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();

const remove = (idToken: string, base: string = servers['direct server']) =>
  post(`${base}/account/delete`, '{}', { authorization: `Bearer ${idToken}` });
const authUser = (uid: string) => auth.getUser(uid).catch((error: { code: string }) => error.code);

describe('POST /account/delete', () => {
  it('ends the subscription and the sign-in, and keeps the books', async () => {
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
    expect(await buyer.credits()).toEqual({ allowance: 0, packs: 100 });
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
