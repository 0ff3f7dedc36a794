import axe, { type AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OpenPreview, openPreview } from './open-preview.ts';
import { type PreviewStateName, previewStates } from './states.ts';

const names = Object.keys(previewStates(0)) as PreviewStateName[];
let preview: OpenPreview;
beforeAll(async () => {
  preview = await openPreview();
}, 60_000);
afterAll(() => preview?.close());

const testId = (id: string) => preview.page.getByTestId(id);

async function audit(options: string): Promise<string[]> {
  const results: AxeResults = await preview.page.evaluate(`axe.run(${options})`);
  return results.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html}`));
}

const backgroundOf = (selector: string): Promise<string> =>
  preview.page.$eval(selector, (element) => getComputedStyle(element).backgroundColor);

/** Twice the text size, and by how many pixels the page then is too wide. */
function overflowAtTwiceTheText(): Promise<number> {
  return preview.page.evaluate(() => {
    document.documentElement.style.fontSize = '200%';
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
}

// One load for each surface and state: loading takes longer than all that is asked of the page.
describe.each(names)('%s', (state) => {
  it('has nothing that axe finds in light or dark, and fits at twice the text size: full page', async () => {
    await preview.show({ surface: 'options', state, theme: 'light' });
    await preview.page.evaluate(axe.source);
    expect(await audit('')).toEqual([]);
    const light = await backgroundOf('.billing-page');
    await preview.page.emulateMedia({ colorScheme: 'dark' });
    expect(await backgroundOf('.billing-page')).not.toBe(light);
    expect(await audit('{ runOnly: ["color-contrast"] }')).toEqual([]);
    expect(await overflowAtTwiceTheText()).toBe(0);
  });

  it('has nothing that axe finds, and fits at twice the text size: popup and narrowest side panel', async () => {
    await preview.show({ surface: 'popup', state, theme: 'dark' });
    await preview.page.evaluate(axe.source);
    expect(await audit('')).toEqual([]);
    expect(await overflowAtTwiceTheText()).toBe(0);
    await preview.show({ surface: 'side-panel', state, text: '200%' });
    expect(await overflowAtTwiceTheText()).toBe(0);
  });
});

describe('the wall', () => {
  it('takes the focus, keeps it, and goes with Escape', async () => {
    await preview.show({ surface: 'popup', state: 'empty' });
    const isFocusInside = () =>
      testId('topup-wall').evaluate((wall) => wall.contains(document.activeElement));
    expect(await isFocusInside()).toBe(true);
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Shift+Tab']) {
      await preview.page.keyboard.press(key);
      expect(await isFocusInside(), key).toBe(true);
    }
    await preview.page.keyboard.press('Escape');
    await testId('topup-wall').waitFor({ state: 'detached' });
    expect(await testId('balance-meter').isVisible()).toBe(true);
  });

  it('leaves plans and packs of the full page within reach', async () => {
    await preview.show({ surface: 'options', state: 'empty' });
    await testId('topup-wall').waitFor();
    await testId('buy-premium_lifetime').click({ trial: true });
    await testId('buy-credits_pack_large').first().click({ trial: true });
  });
});

it('shows a yearly plan by what it costs each month, and what it saves', async () => {
  await preview.show({ surface: 'options', state: 'free' });
  await preview.page.getByText('Yearly').click();
  const plan = preview.page.locator('article', { has: testId('buy-premium_yearly') });
  await expect.poll(() => plan.textContent()).toMatch(/\$7\.50 per month\$90\.00 billed yearlySave 16%/);
  expect(await testId('buy-premium_metered_monthly').isVisible()).toBe(true);
});

it('says what to do when the account does not load', async () => {
  await preview.page.clock.install();
  await preview.show({ surface: 'popup', state: 'loading' });
  await testId('loading').waitFor();
  await preview.page.clock.fastForward(9_000);
  await testId('load-failed').getByRole('button', { name: 'Try again' }).click();
  await testId('loading').waitFor();
});

it('refuses a sign-in in the language of the user', async () => {
  await preview.show({ surface: 'popup', state: 'signed_out', locale: 'de-DE' });
  await testId('sign-in-email').fill('ada@example.com');
  await testId('sign-in-password').fill('not-the-one');
  await testId('sign-in-submit').click();
  await expect
    .poll(() => preview.page.getByRole('alert').textContent())
    .toMatch(/^E-Mail oder Passwort stimmt nicht\./);
});

it('writes no French date into an English sentence, and says which language it speaks', async () => {
  await preview.show({ surface: 'popup', state: 'active', locale: 'fr-FR' });
  expect(await preview.page.locator('html').getAttribute('lang')).toBe('en');
  expect(await testId('plan-status').textContent()).toMatch(/Renews on [A-Z][a-z]{2} \d/);
});

it('says what a feature cost, and moves the number', async () => {
  await preview.show({ surface: 'popup', state: 'one_credit' });
  expect(await testId('run-demo_deep').isDisabled()).toBe(true);
  await testId('run-demo').click();
  await expect.poll(() => testId('toast').textContent()).toBe('1 credit spent, 0 left');
  await testId('topup-wall').waitFor();
});

it('says that a checkout is open, and opens it again', async () => {
  await preview.show({ surface: 'popup', state: 'empty' });
  const buy = testId('buy-credits_pack_small');
  await buy.click();
  await expect.poll(() => buy.textContent()).toBe('Open again');
  await buy.click({ trial: true });
});
