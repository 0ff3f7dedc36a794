import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { firestore, signUp } from './app/emulated-user.ts';
import { post, provider, servers } from './app/suite.ts';

const stripe = provider();

async function buyer() {
  const { uid, idToken } = await signUp();
  const buy = (lookupKey: string, base: string = servers['direct server']) =>
    post(`${base}/billing/checkout`, JSON.stringify({ lookup_key: lookupKey }), {
      authorization: `Bearer ${idToken}`,
    });
  const portal = () =>
    post(`${servers['direct server']}/billing/portal`, null, { authorization: `Bearer ${idToken}` });
  return { uid, buy, portal };
}

/** The provider's customers of a user, as the service named them. */
async function customersOf(uid: string): Promise<readonly string[]> {
  const owned = await firestore.collection('provider_customers').where('uid', '==', uid).get();
  return owned.docs.map(({ id }) => id);
}

/** The open subscription checkouts of a customer, as the provider lists them. */
async function openCheckouts(customer: string) {
  const { data } = await stripe.checkout.sessions.list({ customer, status: 'open', limit: 100 });
  return data.filter(({ mode }) => mode === 'subscription');
}

describe('POST /billing/checkout, with the provider’s simulator', () => {
  it.each([
    ['the monthly plan', PLAN.monthly],
    ['the yearly plan', PLAN.yearly],
    ['the metered plan', PLAN.metered],
    ['the lifetime plan', PLAN.lifetime],
    ['the small pack', PACK.small],
    ['the large pack', PACK.large],
  ])('sells %s on a page of the provider', async (_which, lookupKey) => {
    const { uid, buy } = await buyer();
    const { status, body } = await buy(lookupKey);
    expect(status).toBe(200);
    const session = await stripe.checkout.sessions.retrieve(String(body.sessionId));
    expect(session.url).toBe(body.url);
    expect(session.metadata).toMatchObject({ uid, lookup_key: lookupKey });
    expect(session.client_reference_id).toBe(uid);
    const page = await fetch(String(body.url));
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/html/)]);
  });

  it.each([
    ['all in one process', [servers['direct server']]],
    ['in many processes', Object.values(servers)],
  ])('ten at once, %s: one customer, one open session', async (_where, bases) => {
    const { uid, buy } = await buyer();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => buy(PLAN.monthly, bases[i % bases.length])),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const [customer, ...more] = await customersOf(uid);
    expect(more).toEqual([]);
    const all = await stripe.customers.list({ limit: 100 });
    expect(all.data.filter(({ metadata }) => metadata.uid === uid)).toHaveLength(1);
    expect(await openCheckouts(String(customer))).toHaveLength(1);
  });

  it('an abandoned checkout is closed for its successor', async () => {
    const { uid, buy } = await buyer();
    const first = await buy(PLAN.monthly);
    const second = await buy(PLAN.yearly);
    const [customer] = await customersOf(uid);
    expect((await openCheckouts(String(customer))).map(({ id }) => id)).toEqual([second.body.sessionId]);
    expect((await stripe.checkout.sessions.retrieve(String(first.body.sessionId))).status).toBe('expired');
  });
});

describe('POST /billing/portal, with the provider’s simulator', () => {
  it('opens for a customer of the provider, and for nobody else', async () => {
    const { buy, portal } = await buyer();
    expect(await portal()).toMatchObject({ status: 409, body: { code: 'no_customer' } });
    await buy(PACK.small);
    const { status, body } = await portal();
    expect(status).toBe(200);
    expect((await fetch(String(body.url))).status).toBe(200);
  });

  it('says so too where the provider has deleted the customer, and a purchase brings it back', async () => {
    const { uid, buy, portal } = await buyer();
    await buy(PACK.small);
    const [customer] = await customersOf(uid);
    await stripe.customers.del(String(customer));
    expect(await portal()).toMatchObject({ status: 409, body: { code: 'no_customer' } });
    await buy(PACK.small);
    expect((await portal()).status).toBe(200);
  });
});
