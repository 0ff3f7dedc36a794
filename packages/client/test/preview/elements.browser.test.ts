import { gzipSync } from 'node:zlib';
import { PACK, PLAN, testCatalog } from '@extension-billing/contract/test/catalog';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditPage } from '../../../../e2e/audit-page.ts';
import { TEST_CATALOG } from '../../../../tools/test/test-catalog.ts';
import { breakDates, wakes } from './break-dates.ts';
import { type OpenPreview, openPreview } from './open-preview.ts';

let preview: OpenPreview;
const errors: string[] = [];
beforeAll(async () => {
  process.env.BILLING_CATALOG = TEST_CATALOG;
  preview = await openPreview({ withElements: true });
  preview.page.on('pageerror', ({ message }) => errors.push(message));
}, 60_000);
beforeEach(() => {
  errors.length = 0;
});
afterAll(() => preview?.close());

const testId = (id: string) => preview.page.getByTestId(id);
const element = (name: string) => preview.page.locator(`billing-${name}`);
const BUTTONS =
  '<billing-button feature="demo">Do it</billing-button><billing-button feature="demo_deep">Dive</billing-button>';

const PARTS = `<main><h1>Mine</h1><billing-balance></billing-balance><billing-wall></billing-wall>${BUTTONS}<billing-plans></billing-plans></main>`;

/** What the elements say from now on: the event, who says it, and what. */
async function listen(): Promise<() => Promise<unknown>> {
  await preview.page.evaluate(() => {
    const said: unknown[] = [];
    for (const name of ['paid', 'refused', 'failed', 'signed-in', 'top-up']) {
      document.addEventListener(`billing-${name}`, (event) => {
        const { error, ...detail } = (event as CustomEvent).detail;
        const more = error instanceof Error ? { error: error.message } : {};
        said.push([event.type, (event.target as Element).localName, { ...detail, ...more }]);
      });
    }
    Object.assign(globalThis, { said });
  });
  return () => preview.page.evaluate('said');
}

/** What the worker would write. */
const write = (fields: object): Promise<void> =>
  preview.page.evaluate(async (changed) => {
    const { entitlements } = await chrome.storage.local.get<{ entitlements: object }>('entitlements');
    await chrome.storage.local.set({
      entitlements: { ...entitlements, updatedAt: Date.now(), ...changed },
    });
  }, fields);

/** By how many pixels the page is too wide. */
const overflow = (): Promise<number> =>
  preview.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The innermost of what has the focus, with its element. */
const focused = (): Promise<string> =>
  preview.page.evaluate(() => {
    const host = document.activeElement;
    const inside = host?.shadowRoot?.activeElement;
    return `${host?.localName} ${inside?.getAttribute('data-testid') ?? inside?.localName ?? ''}`;
  });

it('are one file of at most 66 kB, compressed', async () => {
  await preview.showElements('', { state: 'active' });
  const file = await preview.page.evaluate(async () => (await fetch('/elements.js')).text());
  expect(gzipSync(file, { level: 9 }).length).toBeLessThanOrEqual(66_000);
  expect(file.length).toBeGreaterThan(60_000);
});

describe('a panel', () => {
  it('has all of billing with the look of the components, and nothing that axe finds, in light and dark', async () => {
    await preview.showElements(`<billing-panel heading="My extension">${BUTTONS}</billing-panel>`, {
      state: 'active_low',
      width: 360,
    });
    await preview.page.getByRole('heading', { level: 1, name: 'My extension' }).waitFor();
    for (const id of ['balance-meter', 'run-demo', 'plan-status', `buy-${PACK.small}`, 'sign-out']) {
      expect(await testId(id).isVisible(), id).toBe(true);
    }
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.emulateMedia({ colorScheme: 'dark' });
    expect(await auditPage(preview.page, ['color-contrast'])).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('has the page’s own way in where its form would stand, and no form', async () => {
    await preview.showElements('<billing-panel><button slot="sign-in">My way in</button></billing-panel>', {
      state: 'signed_out',
    });
    await preview.page.getByRole('button', { name: 'My way in' }).waitFor();
    expect(await testId('sign-in-email').count()).toBe(0);
  });

  it('in full has plans, usage and the account', async () => {
    await preview.showElements('<billing-panel layout="full"></billing-panel>', {
      state: 'active',
      width: 1100,
    });
    await preview.page.getByRole('heading', { name: 'Usage' }).waitFor();
    const [plan, meter] = [
      await preview.page.locator('.billing-plan').first().boundingBox(),
      await testId('balance-meter').boundingBox(),
    ];
    expect(plan?.width).toBeGreaterThan(200);
    expect(meter?.x).toBeGreaterThan((plan?.x ?? 0) + 600);
    await testId('delete-account').click();
    await expect.poll(focused).toBe('billing-panel delete-confirm');
    expect(await auditPage(preview.page)).toEqual([]);
  });
});

describe('elements beside each other', () => {
  it('share a balance, pay for a feature, and say so to the page and in one toast', async () => {
    await preview.showElements(PARTS, { state: 'active_with_packs' });
    const said = await listen();
    await testId('run-demo').click();
    await expect.poll(said).toEqual([['billing-paid', 'billing-button', { feature: 'demo', charged: true }]]);
    expect(await testId('balance-value').textContent()).toMatch(/^1,343/);
    expect(await testId('toast').allTextContents()).toEqual(['1 credit spent, 1,343 left']);
    expect(await testId('toast').isVisible()).toBe(true);
    expect(await auditPage(preview.page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('say nothing about a press while another one is in progress', async () => {
    await preview.showElements(PARTS, { state: 'active_with_packs' });
    const said = await listen();
    await testId('run-demo').evaluate((button: HTMLButtonElement) => {
      button.click();
      button.click();
    });
    await expect.poll(said).toEqual([['billing-paid', 'billing-button', { feature: 'demo', charged: true }]]);
    await testId('toast').waitFor();
    expect(await said()).toHaveLength(1);
  });

  it('hold the cost while the work of a button runs, and pay nothing for work that throws', async () => {
    await preview.showElements(PARTS, { state: 'active_with_packs' });
    const said = await listen();
    await preview.page.evaluate(() => {
      const [good, bad] = document.querySelectorAll('billing-button');
      if (good) good.work = async () => 42;
      if (bad) {
        bad.work = () => {
          throw new Error('no');
        };
      }
    });
    await testId('run-demo').click();
    const detail = { feature: 'demo', charged: true, value: 42 };
    await expect.poll(said).toEqual([['billing-paid', 'billing-button', detail]]);
    await testId('run-demo_deep').click();
    await expect
      .poll(said)
      .toContainEqual(['billing-failed', 'billing-button', { feature: 'demo_deep', error: 'no' }]);
    await expect.poll(() => errors).toEqual(['no']);
  });

  it('give nothing away that was refused, with work or without', async () => {
    await preview.showElements(PARTS, { state: 'refusing' });
    const said = await listen();
    await preview.page.evaluate(() => {
      const [worker] = document.querySelectorAll('billing-button');
      if (worker) {
        worker.work = () => {
          throw new Error('nobody paid for this');
        };
      }
    });
    await testId('run-demo').click();
    await expect.poll(said).toEqual([['billing-refused', 'billing-button', { feature: 'demo' }]]);
    await testId('run-demo_deep').click();
    await expect.poll(said).toContainEqual(['billing-refused', 'billing-button', { feature: 'demo_deep' }]);
    expect(await said()).toHaveLength(2);
    expect(errors).toEqual([]);
  });

  it('raise the wall that a button meets in another element: it takes the focus and gives it back', async () => {
    await preview.showElements(`${BUTTONS}<billing-wall></billing-wall>`, { state: 'subscription_free' });
    const said = await listen();
    await testId('run-demo_deep').focus();
    await preview.page.keyboard.press('Enter');
    await testId('plan-wall').waitFor();
    await expect.poll(focused).toBe('billing-wall plan-wall');
    expect(await said()).toEqual([['billing-refused', 'billing-button', { feature: 'demo_deep' }]]);
    await preview.page.keyboard.press('Tab');
    expect(await focused()).toBe('billing-wall plan-wall-dismiss');
    await preview.page.keyboard.press('Escape');
    await expect.poll(focused).toBe('billing-button run-demo_deep');
    expect(await testId('plan-wall').count()).toBe(0);
  });

  it('say in a toast what a feature needs where the page has no wall', async () => {
    await preview.showElements(BUTTONS, { state: 'subscription_free' });
    await testId('run-demo_deep').click();
    await expect.poll(() => testId('toast').textContent()).toMatch(/plan/i);
  });

  it('lead from "Top up" to the packs of the page, or show them under the meter', async () => {
    await preview.showElements('<billing-balance></billing-balance><billing-plans></billing-plans>', {
      state: 'active_low',
    });
    await element('balance').getByRole('button', { name: 'Top up' }).click();
    await expect.poll(focused).toBe(`billing-plans buy-${PACK.small}`);
    await preview.showElements('<billing-balance></billing-balance>', { state: 'active_low' });
    const said = await listen();
    await element('balance').getByRole('button', { name: 'Top up' }).click();
    await testId(`buy-${PACK.small}`).waitFor();
    expect(await said()).toEqual([['billing-top-up', 'billing-balance', {}]]);
  });

  it('ask somebody to sign in who wants to buy, where no panel does, and say when they have', async () => {
    await preview.showElements('<billing-plans google></billing-plans>', { state: 'signed_out' });
    const said = await listen();
    expect(await testId('sign-in-email').count()).toBe(0);
    await testId(`buy-${PLAN.monthly}`).click();
    await expect.poll(focused).toBe('billing-plans sign-in-email');
    expect(await testId('sign-in-google').isVisible()).toBe(true);
    await write({ uid: 'ada' });
    await testId('sign-in-email').waitFor({ state: 'detached' });
    await expect.poll(said).toEqual([['billing-signed-in', 'billing-plans', {}]]);
    await element('plans').getByText('Checkout is open in a tab.').waitFor();
  });
});

describe('what stands around the elements', () => {
  it('themes them from the root or from nearer, with all that follows from a property, and in no other way', async () => {
    await preview.showElements(
      `<style>:root { --billing-accent: rgb(1, 2, 3); } #near { --billing-accent: rgb(4, 5, 6); } button { background: red !important; }</style>
       <billing-panel></billing-panel><div id="near"><billing-plans only="packs"></billing-plans></div>
       <billing-balance style="--billing-accent: rgb(7, 8, 9)"></billing-balance>`,
      { state: 'empty' },
    );
    const wall = testId('topup-wall').getByTestId(`buy-${PACK.small}`);
    await expect
      .poll(() => wall.evaluate((button) => getComputedStyle(button).backgroundColor))
      .toBe('rgb(1, 2, 3)');
    const near = element('plans').getByTestId(`buy-${PACK.small}`);
    expect(await near.evaluate((button) => getComputedStyle(button).backgroundColor)).toBe(
      'rgb(255, 255, 255)',
    );
    const part = element('balance').locator('.billing-meter-bar [data-part=allowance]');
    expect(await part.evaluate((bar) => getComputedStyle(bar).backgroundColor)).toBe('rgb(7, 8, 9)');
    const own = await preview.page.evaluate(() => [
      getComputedStyle(document.documentElement).colorScheme,
      document.adoptedStyleSheets.length,
      document.querySelectorAll('style, link[rel=stylesheet]').length,
    ]);
    expect(own).toEqual(['light dark', 0, 1]);
  });

  it('may be narrow, large in type, and written from the right', async () => {
    await preview.showElements(`<billing-panel>${BUTTONS}</billing-panel>${PARTS}`, {
      state: 'long_names',
      width: 320,
      dir: 'rtl',
    });
    await testId('plan-status').waitFor();
    expect(await overflow()).toBe(0);
    // A sentence from the left stays one, and stands on the right.
    const line = testId('plan-status').locator('p').first();
    expect(
      await line.evaluate((p) => [getComputedStyle(p).unicodeBidi, getComputedStyle(p).textAlign]),
    ).toEqual(['plaintext', 'right']);
    const [meter, bar] = [
      await testId('balance-meter').first().boundingBox(),
      await preview.page.locator('.billing-meter-bar span').first().boundingBox(),
    ];
    expect((bar?.x ?? 0) + (bar?.width ?? 0)).toBeCloseTo((meter?.x ?? 0) + (meter?.width ?? 0) - 17, 0);
    await preview.page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
    });
    expect(await overflow()).toBe(0);
  });

  it('may have its own letter spacing, line height, case and alignment, which stay its own', async () => {
    const own =
      'letter-spacing: 9px; text-transform: uppercase; line-height: 3; text-align: center; font-style: italic; white-space: pre';
    await preview.showElements(`<div style="${own}"><billing-panel></billing-panel></div>`, {
      state: 'active',
    });
    const look = await testId('plan-status').evaluate((status) => {
      const { letterSpacing, textTransform, textAlign, fontStyle, whiteSpace, lineHeight, fontSize } =
        getComputedStyle(status);
      const lines = Number.parseFloat(lineHeight) / Number.parseFloat(fontSize);
      return [letterSpacing, textTransform, textAlign, fontStyle, whiteSpace, lines];
    });
    expect(look).toEqual(['normal', 'none', 'start', 'normal', 'normal', 1.5]);
  });

  it('needs no rules of its own to keep them apart', async () => {
    await preview.showElements(PARTS, { state: 'empty' });
    await testId('topup-wall').waitFor();
    const boxes = await preview.page.locator('main > :not(h1)').evaluateAll((elements) =>
      elements.map((each) => {
        const { left, right, top, bottom } = each.getBoundingClientRect();
        return { left, right, top, bottom };
      }),
    );
    const gaps = boxes.slice(1).map((box, at) => {
      const { right = 0, bottom = 0, top = 0 } = boxes[at] ?? {};
      return box.top === top ? box.left - right : box.top - bottom;
    });
    expect(gaps).toHaveLength(4);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(8);
  });

  it('may move an element into another document, and sets what it is before it is defined', async () => {
    await preview.showElements('<iframe></iframe>', { state: 'active' });
    await preview.page.evaluate(() => {
      // A document without a window defines no element.
      const panel = document.implementation.createHTMLDocument().createElement('billing-panel');
      panel.heading = 'Early';
      document.body.append(panel);
    });
    await preview.page.getByRole('heading', { level: 1, name: 'Early' }).waitFor();
    await preview.page.evaluate(() => {
      const inside = document.querySelector('iframe')?.contentDocument?.body;
      inside?.append(document.querySelector('billing-panel') ?? '');
    });
    const status = preview.page.frameLocator('iframe').getByTestId('plan-status');
    await status.waitFor();
    expect(await status.evaluate((card) => getComputedStyle(card).display)).toBe('grid');
    expect(errors).toEqual([]);
  });

  it('may be written from the right, and each bar of the chart stands above its own day', async () => {
    await preview.showElements('<billing-panel layout="full"></billing-panel>', {
      state: 'active',
      width: 1100,
      dir: 'rtl',
    });
    const chart = testId('usage-chart');
    await chart.waitFor();
    const middleOf = async (part: Locator): Promise<number> => {
      const box = await part.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0) / 2;
    };
    const bars = chart.locator('svg g');
    const days = chart.locator('.billing-chart-days span');
    for (const end of ['first', 'last'] as const) {
      const bar = bars[end]();
      const day = (await days[end]().textContent()) ?? '';
      expect(await bar.locator('title').textContent()).toContain(day);
      const isLeft = (await middleOf(bar)) < (await middleOf(chart));
      expect((await middleOf(days[end]())) < (await middleOf(chart)), day).toBe(isLeft);
    }
  });

  it('may set what an element is before it is defined, later, and as a property', async () => {
    await preview.showElements('<billing-panel heading="One"></billing-panel>', { state: 'active' });
    const title = () => preview.page.getByRole('heading', { level: 1 }).textContent();
    await expect.poll(title).toBe('One');
    await preview.page.evaluate(() => {
      const panel = document.querySelector('billing-panel');
      if (panel === null) return;
      panel.heading = 'Two';
      panel.layout = 'full';
      panel.featureNames = { demo: 'Do the thing' };
    });
    await expect.poll(title).toBe('Two');
    await expect.poll(() => element('panel').getByText('Do the thing').count()).toBeGreaterThan(0);
    expect(
      await preview.page.evaluate(() => {
        const panel = document.querySelector('billing-panel');
        return [panel?.outerHTML, panel?.featureNames, panel?.google];
      }),
    ).toEqual([
      '<billing-panel heading="Two" layout="full" feature-names="{&quot;demo&quot;:&quot;Do the thing&quot;}"></billing-panel>',
      { demo: 'Do the thing' },
      false,
    ]);
  });

  it('may break one: the others stay, and it comes back with the snapshot that the worker repairs', async () => {
    await preview.showElements(`<billing-panel></billing-panel>${BUTTONS}`, { state: 'active' });
    await testId('plan-status').waitFor();
    await preview.page.evaluate(breakDates);
    await write({ cancelAtPeriodEnd: true });
    await element('panel').getByTestId('load-failed').waitFor();
    expect(await testId('run-demo').isVisible()).toBe(true);
    expect(await preview.page.evaluate(wakes)).toContain('billingHello');
    await preview.page.evaluate('areDatesBroken = false');
    await write({ cancelAtPeriodEnd: false });
    await testId('plan-status').waitFor();
  });

  it('may move an element, take it away and put it back', async () => {
    await preview.showElements(`<div></div>${PARTS}`, { state: 'active' });
    await testId('balance-value').waitFor();
    const parts = () => testId('balance-value').count();
    await preview.page.evaluate(() => {
      const balance = document.querySelector('billing-balance');
      if (balance) document.querySelector('div')?.append(balance);
      Object.assign(globalThis, { balance });
    });
    expect(await parts()).toBe(1);
    await preview.page.evaluate(() => document.querySelector('billing-balance')?.remove());
    await expect.poll(parts).toBe(0);
    await preview.page.evaluate(() => document.body.append(Reflect.get(globalThis, 'balance')));
    await expect.poll(parts).toBe(1);
    expect(errors).toEqual([]);
  });
});

describe('a catalogue by its address', () => {
  const show = async (address: string, body: object): Promise<string[]> => {
    const said: string[] = [];
    const hear = (message: { text(): string }): void => void said.push(message.text());
    preview.page.on('console', hear);
    await preview.page.unrouteAll();
    await preview.page.route('**/billing/catalog.json', (route) => route.fulfill({ json: body }));
    await preview.showElements(`<billing-plans catalog="${address}"></billing-plans>`, { state: 'free' });
    return said;
  };
  const prices = () => element('plans').locator('.billing-plan').count();

  it('is that of a build, or as people write it', async () => {
    await show('billing/catalog.json', testCatalog);
    await expect.poll(prices).toBeGreaterThan(1);
    const written = {
      ...{ model: 'subscription', gate: 'paywall', trialDays: 0, packs: {}, features: {} },
      plans: { one: { kind: 'subscription', interval: 'month', amount: 100, currency: 'usd' } },
    };
    await show('/billing/catalog.json', written);
    await expect.poll(prices).toBe(1);
  });

  it('is refused outside of the extension, and says what is wrong with it', async () => {
    const outside = await show('https://elsewhere.example/catalog.json', {});
    await expect.poll(() => outside.join()).toMatch(/has to lead into the/);
    const wrong = await show('billing/catalog.json', { plans: {} });
    await expect.poll(() => wrong.join()).toMatch(/model is missing/);
    expect(await prices()).toBe(0);
  });
});
