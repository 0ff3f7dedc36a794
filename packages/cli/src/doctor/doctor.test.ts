import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog } from '@extension-billing/contract/catalog';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readPorts } from '../local/ports.ts';
import { functionParameters, SIMULATOR_SECRETS } from '../local/suite.ts';
import { connect } from '../stripe/connect.ts';
import { setChangePages } from '../stripe/portal.ts';
import { type Bench, startBench } from '../stripe/test-simulator.ts';
import { registerWebhook } from '../stripe/webhook.ts';
import { checkAnswer, checkCatalog, checkChangePages, checkEndpoint, checkPortal } from './check-account.ts';
import { checkExtension } from './check-extension.ts';
import { checkSettings, type Finding, lineOf } from './check-settings.ts';
import { wrongAddresses } from './compare-addresses.ts';

const ENDPOINT = 'https://billing.example.test/billing/webhook';
const settings = {
  ...functionParameters(readPorts({}), SIMULATOR_SECRETS, {}),
  ...SIMULATOR_SECRETS,
  FUNCTIONS_EMULATOR: 'true',
};
/** The folder of an extension that says that this is in its bundle. */
function anExtension(catalog: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'billing-built-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (catalog !== undefined) writeFileSync(join(folder, 'billing-catalog.json'), JSON.stringify(catalog));
  return folder;
}
const problems = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ ok }) => !ok).map(lineOf);

describe('a built extension', () => {
  const problemOf = async (folder: string | null) => problems([await checkExtension(folder, testCatalog)]);

  it('is in order with the catalogue of the file, and where there is none', async () => {
    expect(await problemOf(anExtension(testCatalog))).toEqual([]);
    expect(await problemOf(null)).toEqual([]);
  });

  it('is named with what differs in it', async () => {
    const { features: _, ...rest } = testCatalog;
    const packs = [...testCatalog.packs].reverse();
    expect(await problemOf(anExtension({ ...testCatalog, trialDays: 99 }))).toEqual([
      expect.stringMatching(/built with another catalogue, in trialDays\n.*npm run build/),
    ]);
    expect(await problemOf(anExtension(rest))).toEqual([expect.stringContaining('in features\n')]);
    expect(await problemOf(anExtension({ ...testCatalog, packs, more: 1 }))).toEqual([
      expect.stringContaining('in packs, more\n'),
    ]);
  });

  it('goes by the billing.config.ts of its sources if its build does not say what it sells', async () => {
    for (const said of [undefined, null])
      expect(await problemOf(anExtension(said))).toEqual([
        expect.stringContaining('no billing-catalog.json'),
      ]);
    const sources = (catalog: object): string => {
      const folder = anExtension(undefined);
      writeFileSync(join(folder, 'billing.config.mjs'), `export default ${JSON.stringify(catalog)};`);
      mkdirSync(join(folder, 'dist'));
      return join(folder, 'dist');
    };
    expect(await problemOf(sources(testCatalog))).toEqual([]);
    expect(await problemOf(sources({ ...testCatalog, trialDays: 99 }))).toEqual([
      expect.stringMatching(/billing\.config\.mjs is another catalogue than the service's, in trialDays/),
    ]);
  });

  it('is compared with the addresses of the suite', () => {
    const folder = anExtension(undefined);
    const at = (port: number) => `http://127.0.0.1:${port}/demo-extension-billing/us-central1/api`;
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'assets/worker.js'), `const a="${at(5001)}/x",b="${at(7001)}";`);
    expect(wrongAddresses(folder, { BILLING_BASE_URL: at(7001) })).toEqual([
      { file: 'assets/worker.js', found: at(5001), expected: at(7001) },
    ]);
  });
});

describe('settings', () => {
  it('finds nothing wrong with the suite’s own', () => {
    expect(problems(checkSettings(settings, testCatalog))).toEqual([]);
  });

  it.each([
    ['PAYMENT_SECRET_KEY', 'pk_test_123456789'],
    ['PAYMENT_WEBHOOK_SECRET', ''],
    ['BILLING_SUCCESS_URL', 'success.html'],
    ['BILLING_PORTAL_RETURN_URL', ''],
    ['BILLING_EXTENSION_IDS', 'not-an-id'],
  ])('names %s, and not its value', (name, value) => {
    const found = problems(checkSettings({ ...settings, [name]: value }, testCatalog));
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(name);
    if (value !== '') expect(found[0]).not.toContain(value);
  });

  it('sees a trial that is not as long as advertised', () => {
    const found = problems(checkSettings({ ...settings, BILLING_TRIAL_DAYS: '14' }, testCatalog));
    expect(found.join()).toContain('advertises 7 days, the provider gives 14');
  });
});

describe('the account', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await startBench('seeded');
  });
  afterEach(() => bench.simulator.close());

  const catalog = async () => problems(await checkCatalog(bench.stripe, testCatalog));
  const endpoint = async () => problems([await checkEndpoint(bench.stripe, ENDPOINT)]).join();

  /** What is said of an account without a problem. */
  const notes = async (of: Catalog) => {
    const found = await checkCatalog(bench.stripe, of);
    expect(problems(found)).toEqual([]);
    return found.flatMap((each) => (each.ok && each.note !== undefined ? [each.about] : []));
  };

  it('finds nothing wrong with a fresh simulator, and writes nothing', async () => {
    await registerWebhook(bench.stripe, ENDPOINT);
    bench.writes.length = 0;
    expect(await catalog()).toEqual([]);
    expect(problems([await checkAnswer(bench.stripe), await checkPortal(bench.stripe, false)])).toEqual([]);
    expect(await endpoint()).toBe('');
    expect(bench.writes).toEqual([]);
  });

  it('names an archived price', async () => {
    await bench.stripe.prices.update(`price_${PLAN.yearly}`, { active: false });
    expect((await catalog()).join()).toContain(`price ${PLAN.yearly}: no active price`);
  });

  it('names an archived product', async () => {
    const { product } = await bench.stripe.prices.retrieve(`price_${PLAN.yearly}`);
    await bench.stripe.products.update(String(product), { active: false });
    expect((await catalog()).join()).toContain(`price ${PLAN.yearly}: its product ${product} is archived`);
  });

  it('notes a price whose amount is not the catalogue’s', async () => {
    const cheaper = structuredClone(testCatalog);
    const plans = cheaper.plans.map((plan) => ({ ...plan, amount: plan.amount === 900 ? 800 : plan.amount }));
    expect(await notes({ ...cheaper, plans })).toEqual([
      `price ${PLAN.monthly} costs 900 usd, the catalogue says 800 usd`,
    ]);
  });

  it('names a currency that a price has no amount in', async () => {
    const [plan, ...others] = testCatalog.plans;
    if (plan === undefined) throw new Error('no plan');
    const plans = [{ ...plan, prices: { eur: 800 } }, ...others];
    const found = problems(await checkCatalog(bench.stripe, { ...testCatalog, plans }));
    expect(found).toEqual([expect.stringContaining('has no amount in eur')]);
  });

  it('notes credits that are not the catalogue’s', async () => {
    await bench.stripe.prices.update(`price_${PACK.small}`, { metadata: { credits: '7' } });
    expect(await notes(testCatalog)).toEqual([
      `price ${PACK.small} brings 7 credits, the catalogue says 100`,
    ]);
  });

  it('names credits that a price lacks', async () => {
    await bench.stripe.prices.update(`price_${PACK.small}`, { metadata: { credits: '' } });
    expect((await catalog()).join()).toContain(`price ${PACK.small}: in its metadata credits should be 100`);
  });

  it('names a missing endpoint, a disabled one, and one without an event', async () => {
    expect(await endpoint()).toContain('is not registered');
    await registerWebhook(bench.stripe, ENDPOINT);
    const id = (await bench.stripe.webhookEndpoints.list()).data[0]?.id ?? '';
    await bench.stripe.webhookEndpoints.update(id, { disabled: true });
    expect(await endpoint()).toContain('disabled');
    await bench.stripe.webhookEndpoints.update(id, { disabled: false, enabled_events: ['invoice.paid'] });
    expect(await endpoint()).toContain('charge.refunded');
  });

  it('names a portal that switches plans, and one that was never saved', async () => {
    expect(problems([await checkPortal(bench.stripe, true)]).join()).toContain('no default settings');
    const { id } = await bench.stripe.billingPortal.configurations.create({
      features: { subscription_cancel: { enabled: false } },
      metadata: { made_by: 'extension-billing' },
    });
    expect(id).toMatch(/^bpc_/);
    expect(problems([await checkPortal(bench.stripe, false)]).join()).toContain('subscription_cancel');
  });

  it('names pages for changes of plan that are missing, until set-up has made them', async () => {
    const changes = async () => problems([await checkChangePages(bench.stripe, testCatalog)]).join();
    expect(await changes()).toContain('no page for changes of plan (keeps a trial, 3 products)');
    await setChangePages(bench.stripe, testCatalog);
    expect(await changes()).toBe('');
  });

  it('names a provider that does not answer', async () => {
    const choice = { key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: bench.simulator.url };
    await bench.simulator.close();
    expect(problems([await checkAnswer(await connect(choice))]).join()).toContain('no answer');
    bench = await startBench('seeded');
  });
});
