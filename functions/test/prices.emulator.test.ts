import type { App, Catalog, PackOffer, PlanOffer } from '@extension-billing/contract/catalog';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import { beforeAll, describe, expect, it } from 'vitest';
import { seedCatalog } from '../../packages/cli/src/stripe/catalog.ts';
import { aConfig } from './app/config.ts';
import { auth, firestore } from './app/emulated-user.ts';
import { providerError } from './app/fake-provider.ts';
import { holdAnswer } from './app/hold-answer.ts';
import { serveApp } from './app/serve-app.ts';
import { post, provider } from './app/suite.ts';
import { aUser } from './fixtures/service.ts';
import * as simulator from './fixtures/simulator.ts';

const stripe = provider();

/** Keys of this file's own: other files sell theirs at the same simulator. */
const KEY = { plan: 'abroad_monthly', lifetime: 'abroad_for_good', pack: 'abroad_pack' } as const;
const plan: PlanOffer = {
  lookupKey: KEY.plan,
  kind: 'subscription',
  interval: 'month',
  amount: 900,
  currency: 'usd',
  prices: { eur: 800, jpy: 1200 },
  grants: [],
  credits: null,
  trial: false,
};
const { prices: _, ...lifetime }: PlanOffer = {
  ...plan,
  lookupKey: KEY.lifetime,
  kind: 'lifetime',
  interval: 'once',
  amount: 19_900,
};
const pack: PackOffer = {
  lookupKey: KEY.pack,
  kind: 'pack',
  amount: 500,
  currency: 'usd',
  prices: { eur: 450 },
  credits: 100,
};
const [SHOP, TOP_UPS] = ['a'.repeat(32), 'b'.repeat(32)];
const all: App = { sells: Object.values(KEY), entitlements: [] };
const catalog: Catalog = {
  ...testCatalog,
  plans: [plan, lifetime],
  packs: [pack],
  apps: { [SHOP]: all, [TOP_UPS]: { ...all, sells: [KEY.pack] } },
};

beforeAll(async () => {
  await seedCatalog(stripe, catalog);
});

/** A user of a service with this file's catalogue, who asks from an extension, or from nowhere. */
async function aShopper(extension?: string, from = async () => stripe) {
  // Tagged, so that the suite's own service, which gets the events, counts what only this one sells.
  const config = aConfig({ project: process.env.GCLOUD_PROJECT ?? null });
  const base = await serveApp({ config, firestore, auth, stripe: from, catalog: () => catalog });
  const user = await aUser();
  const headers = {
    authorization: `Bearer ${user.idToken}`,
    ...(extension !== undefined && { origin: `chrome-extension://${extension}` }),
  };
  const read = async (query = '') => {
    const url = `${base}/billing/prices${query}`;
    const response = await fetch(url, { headers });
    const body = (await response.json()) as Readonly<Record<string, unknown>>;
    holdAnswer('GET', url, response, body);
    return { status: response.status, body, headers: response.headers };
  };
  return {
    ...user,
    read,
    /** What is shown, by the offer: `800 eur`. */
    async shown(query = ''): Promise<Record<string, string>> {
      const { prices } = (await read(query)).body as {
        prices: { lookupKey: string; amount: number; currency: string }[];
      };
      return Object.fromEntries(
        prices.map(({ lookupKey, amount, currency }) => [lookupKey, `${amount} ${currency}`]),
      );
    },
    checkout: (lookupKey: string, more: object = {}) =>
      post(`${base}/billing/checkout`, JSON.stringify({ lookup_key: lookupKey, ...more }), headers),
    portal: () => post(`${base}/billing/portal`, null, headers),
  };
}

/** What a session charges: `800 eur`. */
async function chargedBy(sessionId: unknown): Promise<string> {
  const { amount_total: amount, currency } = await stripe.checkout.sessions.retrieve(String(sessionId));
  return `${amount} ${currency}`;
}

describe('prices shown are prices charged', () => {
  it.each([
    ['in the price’s own currency', undefined, ['900 usd', '19900 usd', '500 usd']],
    ['in the currency that is asked for, where an offer has it', 'eur', ['800 eur', '19900 usd', '450 eur']],
    ['in the price’s own where no offer has it', 'chf', ['900 usd', '19900 usd', '500 usd']],
  ])('%s', async (_where, currency, expected) => {
    const { shown, checkout } = await aShopper();
    const asked = currency === undefined ? {} : { currency };
    const prices = await shown(`?${new URLSearchParams(asked)}`);
    expect(Object.values(prices)).toEqual(expected);
    for (const lookupKey of Object.values(KEY)) {
      const { body } = await checkout(lookupKey, asked);
      expect(await chargedBy(body.sessionId)).toBe(prices[lookupKey]);
    }
  });

  it('carry the credits of the provider’s price, which a purchase then grants', async () => {
    const credits = async (user: Awaited<ReturnType<typeof aShopper>>) => {
      const { prices } = (await user.read()).body as {
        prices: { lookupKey: string; credits: number | null }[];
      };
      return Object.fromEntries(prices.map((price) => [price.lookupKey, price.credits]));
    };
    const none = { [KEY.plan]: null, [KEY.lifetime]: null };
    expect(await credits(await aShopper())).toEqual({ ...none, [KEY.pack]: 100 });

    const { data } = await stripe.prices.list({ lookup_keys: [KEY.pack] });
    const id = data[0]?.id ?? '';
    try {
      await stripe.prices.update(id, { metadata: { credits: '777' } });
      const buyer = await aShopper();
      expect(await credits(buyer)).toEqual({ ...none, [KEY.pack]: 777 });
      const { body } = await buyer.checkout(KEY.pack);
      await simulator.pay(String(body.sessionId));
      await simulator.delivered();
      expect(await buyer.credits()).toEqual({ allowance: 0, packs: 777 });
    } finally {
      await stripe.prices.update(id, { metadata: { credits: '100' } });
    }
  });

  it('in the currency of a running subscription, whatever is asked for; and the record says what renews', async () => {
    const user = await aShopper();
    const { body } = await user.checkout(KEY.plan, { currency: 'jpy' });
    await simulator.pay(String(body.sessionId));
    await simulator.delivered();
    expect((await user.record())?.renewal).toEqual({ amount: 1200, currency: 'jpy', interval: 'month' });
    expect(Object.values(await user.shown('?currency=eur'))).toEqual(['1200 jpy', '19900 usd', '450 eur']);
    const again = await user.checkout(KEY.pack, { currency: 'eur' });
    expect(await chargedBy(again.body.sessionId)).toBe('450 eur');
  });

  it('and what one page does not charge is another page: a second currency opens its own', async () => {
    const { checkout } = await aShopper();
    const [dollars, euros] = await Promise.all([checkout(KEY.plan), checkout(KEY.plan, { currency: 'eur' })]);
    expect(await chargedBy(dollars.body.sessionId)).toBe('900 usd');
    expect(await chargedBy(euros.body.sessionId)).toBe('800 eur');
  });

  it.each(['EUR', 'euro', ''])('%j is no currency', async (currency) => {
    const { read, checkout } = await aShopper();
    expect(await read(`?currency=${currency}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
    expect(await checkout(KEY.plan, { currency })).toMatchObject({ status: 400 });
  });

  it('are not shown while the provider is down: 502, and no amount of anybody’s', async () => {
    const down = { prices: { list: () => Promise.reject(providerError('StripeConnectionError')) } };
    const { read } = await aShopper(SHOP, async () => down as never);
    const { status, body, headers } = await read();
    expect([status, body.code]).toEqual([502, 'provider_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  });
});

describe('two extensions of one project', () => {
  it('each see what they sell', async () => {
    expect(Object.keys(await (await aShopper(SHOP)).shown())).toEqual(Object.values(KEY));
    expect(Object.keys(await (await aShopper(TOP_UPS)).shown())).toEqual([KEY.pack]);
  });

  it('each sell that and nothing else', async () => {
    const { checkout } = await aShopper(TOP_UPS);
    for (const lookupKey of [KEY.plan, KEY.lifetime]) {
      const refused = { status: 400, body: { code: 'unknown_lookup_key' } };
      expect(await checkout(lookupKey)).toMatchObject(refused);
    }
    expect(await checkout(KEY.pack)).toMatchObject({ status: 200 });
    expect(await (await aShopper(SHOP)).checkout(KEY.plan)).toMatchObject({ status: 200 });
  });

  it('may both read the answers, by the catalogue alone; a stranger may not', async () => {
    for (const extension of [SHOP, TOP_UPS]) {
      const { headers } = await (await aShopper(extension)).read();
      expect(headers.get('access-control-allow-origin')).toBe(`chrome-extension://${extension}`);
    }
    const { headers } = await (await aShopper('c'.repeat(32))).read();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('share what is bought: a pack of the one is spent in the other', async () => {
    const user = await aShopper(TOP_UPS);
    const { body } = await user.checkout(KEY.pack);
    await simulator.pay(String(body.sessionId));
    await simulator.delivered();
    expect(await user.credits()).toEqual({ allowance: 0, packs: 100 });
  });
});
