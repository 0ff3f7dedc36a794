import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { offersOf } from '@extension-billing/contract/catalog';
import { BRUSHES, BRUSHES_KEY, foreignCatalog } from '@extension-billing/contract/test/foreign-catalog';
import { controlsOf } from '@extension-billing/simulator/control';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExtensionBrowser, launchExtension, waitForSnapshot } from '../../e2e/browser.ts';
import { openedTab, payCheckout } from '../../e2e/hosted-pages.ts';
import { type Account, openCheckout, signUp } from '../../packages/cli/src/local/account.ts';
import { readPorts, withFreePorts } from '../../packages/cli/src/local/ports.ts';
import { readAddresses, SIMULATOR_SECRETS, type SuiteAddresses } from '../../packages/cli/src/local/suite.ts';
import { connect } from '../../packages/cli/src/stripe/connect.ts';
import { simulatorDriver } from '../scenario/simulator-driver.ts';
import { bringUp, type Suite } from './bring-up.ts';
import { buildExtension } from './builds.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const ROOT = at('../..').replace(/\/$/, '');
const CATALOG = at('../../packages/contract/test/foreign-catalog.ts');

/**
 * Somebody else's catalogue on the whole suite, with nothing of this repository edited: another billing.config.ts for the
 * same sources.
 */
let suite: Suite;
let addresses: SuiteAddresses;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  // The ports of the run that this is a part of are taken by its own suite.
  const outside = Object.entries(process.env).filter(
    ([name]) => name !== 'BILLING_BASE_URL' && !/^BILLING_[A-Z]+_(PORT|OFFSET)$/.test(name),
  );
  const free = await withFreePorts({ ...Object.fromEntries(outside), BILLING_CATALOG: CATALOG });
  suite = await bringUp(ROOT, free, new AbortController().signal);
  environment = { ...free, ...suite.variables };
  addresses = readAddresses(environment);
});
afterAll(() => suite?.end());

/** Somebody who buys at the simulator, and what they ask of the service. */
async function aBuyer() {
  const account = await signUp(addresses);
  const stripe = await connect({ key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: addresses.provider });
  const buyer = await simulatorDriver(addresses, stripe).begin(account);
  const controls = controlsOf(addresses.provider);
  return {
    account,
    ask: (path: string, body?: object) => ask(account, path, body),
    async buy(lookupKey: string) {
      await buyer.buy(lookupKey);
      await controls.delivered();
    },
    refund: async () => {
      await buyer.refund();
      await controls.delivered();
    },
    record: () => recordOf(account),
  };
}

async function ask({ idToken }: Account, path: string, body?: object, origin?: string) {
  const response = await fetch(`${addresses.billing}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${idToken}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      ...(origin !== undefined && { origin }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** The customer's record past the rules. Lists and times as Firestore's REST interface writes them. */
async function recordOf({ uid }: Account): Promise<Record<string, unknown>> {
  const path = `v1/projects/${addresses.project}/databases/(default)/documents/customers/${uid}`;
  const response = await fetch(`http://${addresses.firestoreEmulator}/${path}`, {
    headers: { authorization: 'Bearer owner' },
  });
  const { fields = {} } = (await response.json()) as { fields?: Record<string, object> };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, plainOf(field)]));
}

function plainOf(field: object): unknown {
  if ('arrayValue' in field)
    return ((field.arrayValue as { values?: object[] }).values ?? []).map((value) => plainOf(value));
  const [value] = Object.values(field);
  return 'integerValue' in field ? Number(value) : value;
}

/** A command of the owner's, on the running suite. */
async function billing(...words: string[]) {
  const args = [at('../../packages/cli/src/billing.ts'), ...words];
  return promisify(execFile)(process.execPath, args, { cwd: ROOT, env: environment }).then(
    ({ stdout }) => ({ status: 0, out: stdout }),
    ({ code, stdout, stderr }) => ({ status: Number(code), out: `${stdout}${stderr}` }),
  );
}

describe('a catalogue that this repository has never seen', () => {
  it('is sold whole: each plan and each pack, with what it brings', async () => {
    const bought = await Promise.all(
      offersOf(foreignCatalog).map(async (offer) => {
        const buyer = await aBuyer();
        await buyer.buy(offer.lookupKey);
        return { offer, record: await buyer.record() };
      }),
    );
    for (const { offer, record } of bought) {
      const credits = offer.kind === 'pack' ? offer.credits : (offer.credits?.amount ?? undefined);
      const isTrial = offer.kind === 'subscription' && offer.trial;
      expect(record, offer.lookupKey).toMatchObject({
        paid: offer.kind !== 'pack',
        ...(offer.kind === 'pack'
          ? { plan: null }
          : { plan: offer.lookupKey, planKind: offer.kind, entitlements: offer.grants }),
        ...(offer.kind === 'subscription' && { status: isTrial ? 'trialing' : 'active' }),
      });
      expect(record.creditsRemaining, offer.lookupKey).toBe(credits);
    }
  });

  it('prices its features: by cost, by entitlement, by hold and by plan', async () => {
    const buyer = await aBuyer();
    const run = (feature: string) => buyer.ask('/credits/consume', { feature });
    const needsPlan = { status: 403, body: { code: 'plan_required' } };
    expect(await run('print_export')).toMatchObject(needsPlan);
    expect(await run('retouch')).toMatchObject({ status: 403, body: { entitlement: 'basic' } });

    await buyer.buy('drops_120');
    expect(await run('sketch')).toMatchObject({ status: 200, body: { cost: 3, balance: 117 } });
    expect(await run('retouch')).toMatchObject({ status: 403, body: { entitlement: 'basic' } });
    const held = await buyer.ask('/credits/reserve', { feature: 'render_scene' });
    expect(held).toMatchObject({ status: 200, body: { cost: 20, balance: 97 } });
    expect(await run('render_scene')).toMatchObject({ status: 400, body: { code: 'hold_required' } });
    const { reservation } = held.body;
    expect(await buyer.ask('/credits/release', { reservation })).toMatchObject({ body: { balance: 117 } });

    await buyer.buy('atelier_basic_forever');
    expect(await run('retouch')).toMatchObject({ status: 200, body: { balance: 115 } });
    expect(await run('print_export')).toMatchObject({ status: 200, body: { balance: 115, cost: 0 } });
    expect(await run('demo')).toMatchObject({ status: 400, body: { code: 'unknown_feature' } });
  });

  it('opens the portal, and takes back what was refunded', async () => {
    const buyer = await aBuyer();
    await buyer.buy('atelier_pro_forever');
    expect(await buyer.record()).toMatchObject({ paid: true, entitlements: ['basic', 'pro'] });
    expect(await buyer.ask('/billing/portal', {})).toMatchObject({ status: 200 });
    await buyer.refund();
    expect(await buyer.record()).toMatchObject({ paid: false, plan: null });
    expect((await buyer.record()).entitlements ?? []).toEqual([]);
    await expect(openCheckout(addresses, buyer.account, 'sold_nowhere')).rejects.toThrow('nothing is sold');
  });

  it('sells packs alone in the extension that has nothing else', async () => {
    const { account } = await aBuyer();
    const from = (lookup_key: string) =>
      ask(account, '/billing/checkout', { lookup_key }, `chrome-extension://${BRUSHES}`);
    expect(await from('atelier_basic_month')).toMatchObject({
      status: 400,
      body: { code: 'unknown_lookup_key' },
    });
    expect(await from('drops_30')).toMatchObject({ status: 200 });
  });

  it('is what the owner’s commands know', async () => {
    const setUp = await billing('setup');
    expect(setUp.out).toContain('price atelier_pro_year');
    expect(setUp).toMatchObject({ status: 0 });
    const report = await billing('report');
    expect(report.out).toContain('atelier_pro_month');
    expect(report.out).toContain('atelier_pro_forever');
    expect(report.status).toBe(0);
  });
});

const testId = (id: string): string => `[data-testid="${id}"]`;

/** The same build with another key in its manifest: the browser gives it another id, and so it is another extension. */
function asBrushes(dist: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'billing-brushes-'));
  cpSync(dist, folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...manifest, key: BRUSHES_KEY }));
  return folder;
}

async function newAccount(page: Page): Promise<void> {
  await page.fill(testId('sign-in-email'), `${randomUUID()}@example.test`);
  await page.fill(testId('sign-in-password'), randomUUID());
  await page.click(testId('sign-up-submit'));
  await page.waitForSelector(`${testId('plan-status')}[data-state="free"]`);
}

const wordsOf = async (page: Page, selector: string): Promise<string> =>
  ((await page.textContent(selector)) ?? '').replaceAll(/\s+/g, ' ');

describe('the extension that is built with it', () => {
  let dist: string;
  let brushes: string | undefined;
  let browser: ExtensionBrowser;
  let options: Page;

  beforeAll(async () => {
    dist = await buildExtension(ROOT, readPorts(environment), suite.variables, environment);
    brushes = asBrushes(dist);
    browser = await launchExtension({ dist, others: [brushes] });
    options = await browser.open('options');
    await newAccount(options);
  });
  afterAll(async () => {
    await browser?.close();
    if (brushes !== undefined) rmSync(brushes, { recursive: true, force: true });
  });

  const buy = (key: string, page = options) =>
    openedTab(browser.context, () => page.click(testId(`buy-${key}`)));
  /** Presses the button of another plan, and confirms on the provider's page. Says what that page showed. */
  async function changeTo(key: string): Promise<string> {
    const page = await buy(key);
    const shown = await wordsOf(page, 'body');
    await page.click('button[name=action][value=confirm]');
    await page.waitForURL(/billing\/portal-return/);
    await page.close();
    return shown;
  }
  const showInterval = (name: 'Monthly' | 'Yearly') => options.getByText(name).first().click();

  it('offers every plan and pack by its name, in yen without cents, also where there is little room', async () => {
    const words = () => wordsOf(options, 'main');
    await options.waitForSelector(testId('buy-atelier_basic_month'));
    const shown = [await words()];
    await picture(options, 'free');
    await showInterval('Yearly');
    await options.waitForSelector(testId('buy-atelier_pro_year'));
    shown.push(await words());
    await picture(options, 'yearly');
    for (const { name = '', amount } of offersOf(foreignCatalog)) {
      expect(shown.join(' ')).toContain(name);
      expect(shown.join(' ')).toMatch(
        new RegExp(`¥(?:${amount}|${amount.toLocaleString('en-US')})(?![\\d.,]\\d)`),
      );
    }
    expect(shown.join(' ')).not.toMatch(/¥[\d,]+\.\d/);
    await options.setViewportSize({ width: 360, height: 700 });
    expect(await options.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await picture(options, 'narrow');
    await options.setViewportSize({ width: 1100, height: 800 });
  });

  it('buys, spends what a feature costs, and meets the wall', async () => {
    await payCheckout(await buy('drops_30'));
    await waitForSnapshot(options, ({ credits }) => credits?.balance === 30);
    const popup = await browser.open('popup');
    for (let left = 30 - 3; left >= 0; left -= 3) {
      await popup.click(`${testId('run-sketch')}:not([disabled])`);
      await waitForSnapshot(options, ({ credits }) => credits?.balance === left);
    }
    await popup.waitForSelector(testId('topup-wall'));
    await picture(popup, 'wall');
    await popup.close();
  });

  const entitled = (...names: readonly string[]) =>
    waitForSnapshot(options, ({ entitlements }) => entitlements.join() === names.join());

  it('buys a tier, and moves up to the other: its name is the plan’s, and its credits are there', async () => {
    await showInterval('Monthly');
    await payCheckout(await buy('atelier_basic_month'));
    await options.waitForSelector(`${testId('plan-status')}[data-state="trial"]`);
    await entitled('basic');

    expect(await changeTo('atelier_pro_month')).toMatch(/¥1,280/);
    await options.waitForSelector(`${testId('plan-status')}[data-state="active"]`);
    await waitForSnapshot(options, ({ credits }) => credits?.balance === 300);
    await entitled('basic', 'pro');
    expect(await wordsOf(options, testId('plan-status'))).toContain('Atelier Professional');
    await picture(options, 'active');
  });

  it('moves down when the period ends, and takes that back', async () => {
    expect(await changeTo('atelier_basic_month')).toMatch(/¥480/);
    const { plan } = await waitForSnapshot(
      options,
      ({ plannedChange }) => plannedChange?.plan === 'atelier_basic_month',
    );
    expect(plan).toBe('atelier_pro_month');
    await options.waitForSelector(testId('keep-plan'));
    expect(await wordsOf(options, testId('plan-status'))).toMatch(/Changes to Atelier Basic on/);
    await picture(options, 'planned');

    await options.click(testId('keep-plan'));
    const kept = await waitForSnapshot(options, ({ plannedChange }) => plannedChange === null);
    expect(kept).toMatchObject({ plan: 'atelier_pro_month', entitlements: ['basic', 'pro'] });
    expect(kept.credits?.balance).toBe(300);
  });

  it('moves to the year, with its credits once', async () => {
    await showInterval('Yearly');
    expect(await changeTo('atelier_pro_year')).toMatch(/¥12,800/);
    const { credits } = await waitForSnapshot(options, ({ plan }) => plan === 'atelier_pro_year');
    expect(credits?.balance).toBe(300);
    expect(await wordsOf(options, testId('plan-status'))).toMatch(/Renews on .* for ¥12,800/);
  });

  it('owns it for good, and the subscription ends by itself, as the page said before', async () => {
    const card = options.locator('article', { has: options.locator(testId('buy-atelier_pro_forever')) });
    expect(await card.textContent()).toContain('plan then ends on');
    await payCheckout(await buy('atelier_pro_forever'));
    await options.waitForSelector(`${testId('plan-status')}[data-state="lifetime"]`);
    const { runningSubscription } = await waitForSnapshot(
      options,
      ({ runningSubscription: running }) => running?.cancelAtPeriodEnd === true,
    );
    expect(runningSubscription).toMatchObject({ plan: 'atelier_pro_year' });
    await expect.poll(() => wordsOf(options, testId('plan-status'))).toMatch(/nothing renews after that/);
  });

  it('sells packs alone as the other extension of the project, and shows no plan', async () => {
    const page = await browser.context.newPage();
    await page.goto(`chrome-extension://${BRUSHES}/src/demo/options/index.html`);
    await newAccount(page);
    await page.waitForSelector(testId('buy-drops_400'));
    expect(await page.locator('article').count()).toBe(0);
    expect(await wordsOf(page, 'main')).not.toMatch(/Atelier|trial|Plans|Choose plan/);
    await picture(page, 'packs-only');
    await payCheckout(await buy('drops_120', page));
    await waitForSnapshot(page, ({ credits }) => credits?.balance === 120);
    expect(await page.textContent(testId('balance-value'))).toMatch(/^120/);
  });

  it('is in order with its catalogue and all else, by the doctor’s word', async () => {
    const { status, out } = await billing('doctor', '--extension', dist);
    expect(out).toContain('is built with what the file says');
    expect(out).toContain('Everything is in order.');
    expect(status).toBe(0);
  });
});

/** For a person to look at: FOREIGN_PICTURES names a folder. */
async function picture(page: Page, name: string): Promise<void> {
  const { FOREIGN_PICTURES: folder } = process.env;
  if (folder === undefined) return;
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${folder}/${name}-${colorScheme}.png`, fullPage: true });
  }
}
