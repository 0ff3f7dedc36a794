import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { Stripe } from 'stripe';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tools/test/temporary-folder.ts';
import { priceMetadata } from '../local/price-metadata.ts';
import { findPrice, seedCatalog } from './catalog.ts';
import { lineOf, setUpProvider, storeSecret } from './set-up.ts';
import { type Bench, startBench } from './test-simulator.ts';

const ENDPOINT = 'https://billing.example.test/billing/webhook';
const OFFERS = testCatalog.plans.length + testCatalog.packs.length;
/** Beside the offers: the portal, its two pages for changes, the endpoint. */
const STEPS = OFFERS + 4;
let bench: Bench;
/** Not there yet. */
let secretFile: string;

beforeEach(async () => {
  secretFile = join(temporaryFolder(), '.secret.local');
  bench = await startBench('empty');
});
afterEach(() => bench.simulator.close());

const run = (isSimulator = true) =>
  setUpProvider({
    stripe: bench.stripe,
    isSimulator,
    catalog: testCatalog,
    endpoint: ENDPOINT,
    secretFile,
  });
const did = async () => (await run()).map((step) => step.did);
const priceOf = async (lookupKey: string): Promise<Stripe.Price> => {
  const { data } = await bench.stripe.prices.list({ lookup_keys: [lookupKey], active: true });
  if (data[0] === undefined) throw new Error(`no price ${lookupKey}`);
  return data[0];
};

/** The portal's own configuration, or those for changes of plan. */
async function configurations(forChanges: boolean) {
  const { data } = await bench.stripe.billingPortal.configurations.list();
  return data.filter(({ metadata }) => (metadata?.purpose === 'change') === forChanges);
}

describe('set-up at a new account', () => {
  it('writes once for each price, the portal, its pages and the endpoint, and nothing at the second run', async () => {
    expect(await did()).toEqual(Array(STEPS).fill('created'));
    expect(bench.writes).toHaveLength(STEPS);
    bench.writes.length = 0;
    expect(await did()).toEqual(Array(STEPS).fill('unchanged'));
    expect(bench.writes).toEqual([]);
  });

  it('makes each price as the catalogue has it', async () => {
    await run();
    expect(await priceOf(PLAN.metered)).toMatchObject({
      unit_amount: 1900,
      currency: 'usd',
      recurring: { interval: 'month' },
      metadata: { monthly_credits: '1000' },
    });
    const pack = await priceOf(PACK.large);
    expect(pack).toMatchObject({ unit_amount: 2000, recurring: null, metadata: { credits: '500' } });
    expect((await priceOf(PLAN.lifetime)).metadata).toEqual({});
  });

  it('says on a plan’s price what it entitles to, for a switch at the provider', async () => {
    const [plan] = testCatalog.plans;
    if (plan === undefined) throw new Error('The tests’ catalogue sells no plan.');
    expect(priceMetadata({ ...plan, grants: ['basic', 'pro'] })).toMatchObject({ entitlements: 'basic,pro' });
  });

  it('pins the version of the events', async () => {
    await run();
    const { data } = await bench.stripe.webhookEndpoints.list();
    expect(data.map(({ url, api_version }) => [url, api_version])).toEqual([[ENDPOINT, Stripe.API_VERSION]]);
  });

  it('lets a customer cancel at the period’s end, and neither switch nor pause', async () => {
    await run();
    const data = await configurations(false);
    expect(data[0]?.features).toMatchObject({
      subscription_cancel: { enabled: true, mode: 'at_period_end' },
      subscription_update: { enabled: false },
      subscription_pause: { enabled: false },
    });
  });

  it('makes pages on which a change is confirmed: more at once, less at the period’s end', async () => {
    await run();
    const pages = await configurations(true);
    const prices = [PLAN.monthly, PLAN.yearly, PLAN.metered].map(priceOf);
    const offered = (await Promise.all(prices)).map(({ id }) => id).sort();
    for (const { features } of pages) {
      const { products, proration_behavior, schedule_at_period_end: later } = features.subscription_update;
      expect((products ?? []).flatMap((product) => product.prices).sort()).toEqual(offered);
      expect(proration_behavior).toBe('always_invoice');
      expect(later.conditions.map(({ type }) => type)).toEqual([
        'decreasing_item_amount',
        'shortening_interval',
      ]);
    }
    const trials = pages.map(({ features }) => features.subscription_update.trial_update_behavior);
    expect(trials.sort()).toEqual(['continue_trial', 'end_trial']);
  });

  it('keeps the signing secret in the file of secrets, and never shows it', async () => {
    const shown = (await run()).map(lineOf).join('\n');
    const stored = /^PAYMENT_WEBHOOK_SECRET=(whsec_\w+)$/m.exec(readFileSync(secretFile, 'utf8'))?.[1];
    expect(stored).toBeDefined();
    expect(shown).not.toContain(stored);
    expect(statSync(secretFile).mode & 0o077).toBe(0);
  });
});

describe('set-up at an account that is there', () => {
  it('fills in metadata that is missing, and only at that price', async () => {
    await run();
    const { id } = await priceOf(PACK.small);
    await bench.stripe.prices.update(id, {
      metadata: { credits: '', credits_expire_days: '9', own: 'kept' },
    });
    bench.writes.length = 0;
    expect((await did()).filter((one) => one === 'updated')).toHaveLength(1);
    expect(bench.writes).toEqual([`POST /v1/prices/${id}`]);
    expect((await priceOf(PACK.small)).metadata).toEqual({ credits: '100', own: 'kept' });
  });

  it('keeps amounts and credits that the owner changed at the provider, and says that they differ', async () => {
    await run();
    const before = await priceOf(PLAN.monthly);
    const other = await bench.stripe.prices.create({
      product: String(before.product),
      lookup_key: PLAN.monthly,
      transfer_lookup_key: true,
      unit_amount: 1200,
      currency: 'usd',
      recurring: { interval: 'month' },
    });
    const changed: readonly [key: string, metadata: Record<string, string>][] = [
      [PLAN.metered, { monthly_credits: '2000' }],
      [PACK.small, { credits: '777' }],
    ];
    for (const [key, metadata] of changed) {
      await bench.stripe.prices.update((await priceOf(key)).id, { metadata });
    }
    bench.writes.length = 0;
    const steps = await run();
    expect(steps.filter((step) => step.did === 'problem')).toEqual([]);
    expect(steps.flatMap(({ about, note }) => (note === undefined ? [] : [`${about} ${note}`]))).toEqual(
      [
        `price ${PLAN.monthly} costs 1200 usd, the catalogue says 900 usd`,
        `price ${PLAN.metered} brings 2000 credits, the catalogue says 1000`,
        `price ${PACK.small} brings 777 credits, the catalogue says 100`,
      ].map((line) => `${line}. The provider’s is charged, granted and shown.`),
    );
    expect(bench.writes.filter((one) => one.includes('/prices'))).toEqual([]);
    expect((await priceOf(PLAN.monthly)).id).toBe(other.id);
    for (const [key, metadata] of changed) expect((await priceOf(key)).metadata).toMatchObject(metadata);
  });

  it('says what to do about an interval that is not the offer’s', async () => {
    await run();
    await bench.stripe.prices.create({
      product: String((await priceOf(PLAN.monthly)).product),
      lookup_key: PLAN.monthly,
      transfer_lookup_key: true,
      unit_amount: 900,
      currency: 'usd',
      recurring: { interval: 'year' },
    });
    const problem = (await run()).find((step) => step.did === 'problem');
    expect(problem?.about).toBe(`price ${PLAN.monthly} recurs year × 1, not month`);
    expect(problem?.note).toContain('--transfer-lookup-key');
  });

  it('makes a price in all its currencies, adds the ones that are missing, and changes no amount that is there', async () => {
    const [plan] = testCatalog.plans;
    if (plan === undefined) throw new Error('no plan');
    const abroad = (prices: Record<string, number>) => ({
      ...testCatalog,
      plans: [{ ...plan, prices }],
      packs: [],
    });
    const seed = async (prices: Record<string, number>) =>
      (await seedCatalog(bench.stripe, abroad(prices))).map(({ about, did }) => `${did} ${about}`);
    const has = async () => {
      const price = await findPrice(bench.stripe, plan.lookupKey);
      const amounts = Object.entries(price?.currency_options ?? {}).map(([name, one]) => [
        name,
        one.unit_amount,
      ]);
      return [Object.fromEntries(amounts), price?.metadata.prices];
    };
    expect(await seed({ eur: 800 })).toEqual([`created price ${plan.lookupKey}`]);
    expect(await has()).toEqual([{ usd: plan.amount, eur: 800 }, 'eur:800']);
    expect(await seed({ eur: 800, jpy: 1200 })).toEqual([
      `updated price ${plan.lookupKey}: jpy and its metadata`,
    ]);
    expect(await has()).toEqual([{ usd: plan.amount, eur: 800, jpy: 1200 }, 'eur:800,jpy:1200']);
    expect(await seed({ eur: 800, jpy: 1200 })).toEqual([`unchanged price ${plan.lookupKey}`]);
    expect(await seed({ eur: 850 })).toEqual([`unchanged price ${plan.lookupKey}`]);
    expect(await has()).toEqual([{ usd: plan.amount, eur: 800, jpy: 1200 }, 'eur:800,jpy:1200']);
  });

  it('takes the lookup key from an archived price', async () => {
    await run();
    const old = await priceOf(PLAN.yearly);
    await bench.stripe.prices.update(old.id, { active: false });
    await run();
    expect((await priceOf(PLAN.yearly)).id).not.toBe(old.id);
  });

  it('closes a portal that lets plans be switched', async () => {
    await run();
    const [configuration] = await configurations(false);
    await bench.stripe.billingPortal.configurations.update(configuration?.id ?? '', {
      features: {
        subscription_cancel: { enabled: true, mode: 'immediately' },
        subscription_pause: { enabled: true },
      },
    });
    expect((await did()).filter((one) => one === 'updated')).toHaveLength(1);
    expect(new Set(await did())).toEqual(new Set(['unchanged']));
  });

  it('brings the pages for changes of plan up to a price that was replaced', async () => {
    await run();
    await bench.stripe.prices.update((await priceOf(PLAN.yearly)).id, { active: false });
    expect((await did()).filter((one) => one === 'updated')).toHaveLength(2);
    expect(new Set(await did())).toEqual(new Set(['unchanged']));
    expect(await configurations(true)).toHaveLength(2);
  });

  it('asks for the portal’s default settings where only the Dashboard can make them', async () => {
    const portal = async () => (await run(false)).find(({ about }) => about === 'portal configuration');
    expect((await portal())?.note).toContain('https://dashboard.stripe.com/test/settings/billing/portal');
    bench.writes.length = 0;
    expect((await portal())?.did).toBe('problem');
    expect(bench.writes).toEqual([]);
  });

  it('reports an endpoint whose events have another version', async () => {
    await bench.stripe.webhookEndpoints.create({
      url: ENDPOINT,
      enabled_events: ['invoice.paid'],
      api_version: '2025-03-31.basil',
    });
    const last = (await run()).at(-1);
    expect(last?.did).toBe('problem');
    expect(last?.note).toContain('2025-03-31.basil');
  });
});

const fileWith = (text: string): string => {
  const file = join(temporaryFolder(), '.secret.local');
  writeFileSync(file, text);
  return file;
};

it('puts the value in place of the old one, and leaves the other lines', () => {
  const file = fileWith('# mine\nPAYMENT_WEBHOOK_SECRET=whsec_old\nPAYMENT_SECRET_KEY=sk_test_1\n');
  expect(storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_new')).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(
    '# mine\nPAYMENT_WEBHOOK_SECRET=whsec_new\nPAYMENT_SECRET_KEY=sk_test_1\n',
  );
  expect(statSync(file).mode & 0o077).toBe(0);
});

it('does not write a value that is there', () => {
  const file = fileWith('PAYMENT_WEBHOOK_SECRET=whsec_same\n');
  expect(storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_same')).toBe(false);
});

it('adds a value that the file has not', () => {
  const file = fileWith('PAYMENT_SECRET_KEY=sk_test_1');
  storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_new');
  expect(readFileSync(file, 'utf8')).toBe('PAYMENT_SECRET_KEY=sk_test_1\nPAYMENT_WEBHOOK_SECRET=whsec_new\n');
});
