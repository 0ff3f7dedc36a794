import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditPage } from '../../../../e2e/audit-page.ts';
import { TEST_CATALOG } from '../../../../tools/test/test-catalog.ts';
import { type OpenPreview, openPreview } from './open-preview.ts';

let preview: OpenPreview;
beforeAll(async () => {
  process.env.BILLING_CATALOG = TEST_CATALOG;
  preview = await openPreview();
}, 60_000);
afterAll(() => preview?.close());

const testId = (id: string) => preview.page.getByTestId(id);
/** What the worker would write. */
const write = (fields: object): Promise<void> =>
  preview.page.evaluate(async (changed) => {
    const { entitlements } = await chrome.storage.local.get<{ entitlements: object }>('entitlements');
    await chrome.storage.local.set({
      entitlements: { ...entitlements, updatedAt: Date.now(), ...changed },
    });
  }, fields);
const testIdOf = (id: string) => () => testId(id);
const hasFocus = (id: string): Promise<boolean> =>
  testId(id).evaluate((element) => element === document.activeElement);

describe('the wall', () => {
  const isFocusIn = (id: string) =>
    testId(id).evaluate((element) => element.contains(document.activeElement));

  it('takes no focus when a page opens with it, and Escape puts it away', async () => {
    await preview.show({ surface: 'popup', state: 'empty' });
    await testId('topup-wall').waitFor();
    expect(await isFocusIn('topup-wall')).toBe(false);
    await preview.page.keyboard.press('Tab');
    expect(await hasFocus('topup-wall-dismiss')).toBe(true);
    await preview.page.keyboard.press('Escape');
    await testId('topup-wall').waitFor({ state: 'detached' });
    expect(await testId('balance-meter').isVisible()).toBe(true);
  });

  it('takes the focus where a spend raised it', async () => {
    await preview.show({ surface: 'popup', state: 'one_credit' });
    await testId('run-demo').focus();
    await preview.page.keyboard.press('Enter');
    await testId('topup-wall').waitFor();
    await expect.poll(() => isFocusIn('topup-wall')).toBe(true);
  });

  it('is no trap on the full page: Tab comes to all that is there, and goes on', async () => {
    await preview.show({ surface: 'options', state: 'empty' });
    await testId('topup-wall').waitFor();
    const reached = new Set<string>();
    for (let stop = 0; stop < 24; stop += 1) {
      await preview.page.keyboard.press('Tab');
      reached.add(await preview.page.evaluate(() => document.activeElement?.outerHTML ?? ''));
    }
    const ids = [...reached].map((html) => html.match(/data-testid="([^"]+)"/)?.[1]);
    expect(ids).toEqual(
      expect.arrayContaining(['sign-out', 'topup-wall-dismiss', 'manage-billing', 'delete-account']),
    );
  });

  it('says what credits buy, above packs with buttons of one width', async () => {
    await preview.show({ surface: 'popup', state: 'empty' });
    const wall = testId('topup-wall');
    expect(await wall.textContent()).toMatch(/What credits buyDemo1 creditDeep demo5 credits/);
    const widths = await wall
      .locator('.billing-button')
      .evaluateAll((all) => all.map((button) => button.getBoundingClientRect().width));
    expect(widths.length).toBe(2);
    expect(new Set(widths).size).toBe(1);
  });

  it('leaves plans and packs of the full page within reach', async () => {
    await preview.show({ surface: 'options', state: 'empty' });
    await testId('topup-wall').waitFor();
    await testId(`buy-${PLAN.lifetime}`).click({ trial: true });
    await testId(`buy-${PACK.large}`).first().click({ trial: true });
  });
});

describe('when the project has given out the free credits of the day', () => {
  const wall = testIdOf('free-ceiling-wall');
  async function met(state: 'free_ceiling' | 'free_ceiling_plans_only'): Promise<string> {
    await preview.show({ surface: 'popup', state });
    await testId('run-demo').focus();
    await preview.page.keyboard.press('Enter');
    await wall().waitFor();
    return ((await wall().textContent()) ?? '').replaceAll(/\s+/g, ' ');
  }

  it('the wall says when there are new ones, beside what goes on at once, and gives the focus back', async () => {
    expect(await met('free_ceiling')).toMatch(
      /^Today’s free credits are used up.*use them from (?:\w{3} \d+, )?\d+:\d\d [AP]M on.*What credits buy.*100 credits/,
    );
    expect(await testId('toast').count(), 'nothing covers what there is to buy').toBe(0);
    expect(await testId('balance-value').textContent()).toBe('7 credits left');
    await expect.poll(() => wall().evaluate((sheet) => sheet.contains(document.activeElement))).toBe(true);
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.keyboard.press('Escape');
    await wall().waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus('run-demo')).toBe(true);
  });

  it('the wall falls once something was bought', async () => {
    await met('free_ceiling');
    await write({ credits: { balance: 107, allowance: 7, packCredits: 100, monthlyCredits: 0 } });
    await wall().waitFor({ state: 'detached' });
  });

  it('the wall has plans where no packs are sold', async () => {
    expect(await met('free_ceiling_plans_only')).toMatch(/^Today’s free credits.*Choose plan|trial/);
    expect(await wall().locator(`[data-testid^="buy-"]`).count()).toBeGreaterThan(0);
  });
});

describe('a change of plan, by keyboard and for who does not see the page', () => {
  const focused = () =>
    preview.page.evaluate(() => {
      const { activeElement: element } = document;
      const label = element?.getAttribute('aria-labelledby');
      return `${element?.tagName} ${label ? document.getElementById(label)?.textContent : element?.getAttribute('aria-label')}`;
    });
  const said = () => preview.page.locator('.billing-toasts[role=status]').textContent();

  it('has a name with what it changes to, and says when; its end is said, and leaves the focus at the plan', async () => {
    await preview.show({ surface: 'options', state: 'active' });
    const name = 'Change to this plan: Premium, $9.00 per month';
    const card = preview.page.getByRole('article', { name: 'Premium', exact: true });
    const tree = await card.ariaSnapshot();
    expect(tree).toContain(`button "${name}"`);
    const button = card.getByRole('button', { name, exact: true });
    const note = await button.getAttribute('aria-describedby');
    expect(await preview.page.locator(`[id="${note}"]`).textContent()).toMatch(/^From \w+ \d+ on\./);

    await button.focus();
    await preview.page.keyboard.press('Enter');
    await card.getByRole('status').getByText('Checkout is open in a tab.').waitFor();
    expect(await focused(), 'while the provider’s page is open').toBe(
      `BUTTON Open again: Premium, $9.00 per month`,
    );

    await write({ plannedChange: { plan: PLAN.monthly, at: Date.now() + 20 * 86_400_000 } });
    await card.getByRole('button').waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('ARTICLE Premium');
    await expect.poll(said).toMatch(/^Changes to Premium on \w+ \d+\.$/);
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.keyboard.press('Tab');
    expect(await focused(), 'goes on from there').toMatch(/^BUTTON Choose plan: Lifetime/);
  });

  it('is taken back by a button that names the plan, and the focus stays at the status', async () => {
    await preview.show({ surface: 'options', state: 'changing' });
    const keep = preview.page.getByRole('button', { name: 'Keep Premium with credits', exact: true });
    await keep.focus();
    await preview.page.keyboard.press('Enter');
    await write({ plannedChange: null });
    await keep.waitFor({ state: 'detached' });
    await expect.poll(focused).toBe('SECTION Premium with credits');
    await expect.poll(said).toBe('Your plan goes on.');
    await preview.page.keyboard.press('Tab');
    expect(await hasFocus('manage-billing')).toBe(true);
  });

  it('takes the focus from nobody who is somewhere else', async () => {
    await preview.show({ surface: 'options', state: 'changing' });
    await testId('sign-out').focus();
    await write({ plannedChange: null });
    await testId('keep-plan').waitFor({ state: 'detached' });
    await expect.poll(said).toBe('Your plan goes on.');
    expect(await hasFocus('sign-out')).toBe(true);
  });
});

it('runs what is held by taking all that is held: no backend measures it', async () => {
  await preview.show({ surface: 'popup', state: 'held_feature' });
  await testId('run-demo_deep').click();
  await expect.poll(() => testId('toast').textContent()).toMatch(/^20 credits spent, /);
});

it('shows the free credits that somebody will have who has not spent any', async () => {
  await preview.show({ surface: 'popup', state: 'free_expected' });
  expect(await testId('balance-meter').textContent()).toMatch(/^20 credits left20 of 20$/);
});

it('shows a yearly plan by what it costs each month, and what it saves', async () => {
  await preview.show({ surface: 'options', state: 'free' });
  await preview.page.getByText('Yearly, save 16%').click();
  const plan = preview.page.locator('article', { has: testId(`buy-${PLAN.yearly}`) });
  await expect.poll(() => plan.textContent()).toMatch(/\$7\.50 per month\$90\.00 billed yearlySave 16%/);
  const apart = await preview.page.getByRole('heading', { name: 'Only billed monthly' }).boundingBox();
  expect((await testId(`buy-${PLAN.metered}`).boundingBox())?.y).toBeGreaterThan(apart?.y ?? Infinity);
});

it('says what to do when the account does not load', async () => {
  await preview.page.clock.install();
  await preview.show({ surface: 'popup', state: 'loading' });
  await testId('loading').waitFor();
  await preview.page.clock.fastForward(13_000);
  await testId('load-failed').getByRole('button', { name: 'Try again' }).click();
  await testId('loading').waitFor();
});

it('says what to do where the browser’s storage does not answer', async () => {
  await preview.show({ surface: 'popup', state: 'storage_silent_first' });
  await testId('unreadable').waitFor();
  await preview.show({ surface: 'popup', state: 'storage_silent' });
  await expect.poll(() => testId('unreadable').textContent()).toMatch(/Close the browser and open it again/);
});

it('asks a newcomer to create an account first, and turns to signing in where there is one', async () => {
  await preview.show({ surface: 'popup', state: 'signed_out', locale: 'de-DE' });
  await preview.page.getByRole('heading', { name: 'Erstelle dein Konto' }).waitFor();
  expect(await testId('sign-up-submit').getAttribute('data-look')).toBe('primary');
  await testId('sign-in-email').fill('ada@example.com');
  await testId('sign-in-password').fill('correct horse');
  await preview.page.keyboard.press('Enter');
  await expect
    .poll(() => preview.page.getByRole('alert').textContent())
    .toMatch(/^Mit dieser E-Mail gibt es schon ein Konto/);
  expect(await testId('sign-in-submit').getAttribute('data-look')).toBe('primary');
  expect(await preview.page.getByText('Was du kaufst, bleibt in diesem Browser').isVisible()).toBe(true);
});

it('refuses a sign-in in the language of the user', async () => {
  await preview.show({ surface: 'popup', state: 'signed_out_before', locale: 'de-DE' });
  expect(await testId('sign-in-submit').getAttribute('data-look')).toBe('primary');
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

it('takes a double click for one press, and a key that is held down too', async () => {
  await preview.show({ surface: 'popup', state: 'active_with_packs' });
  await testId('run-demo').dblclick();
  await expect.poll(() => testId('toast').textContent()).toBe('1 credit spent, 1,343 left');
  await preview.page.keyboard.down('Enter');
  await preview.page.keyboard.down('Enter');
  await preview.page.keyboard.down('Enter');
  await preview.page.keyboard.up('Enter');
  await expect.poll(() => testId('toast').textContent()).toBe('1 credit spent, 1,342 left');
  expect(await testId('balance-value').textContent()).toMatch(/^1,342/);
});

it('shows a refusal until it is dismissed, and covers neither the mail nor the way out', async () => {
  await preview.page.clock.install();
  await preview.show({ surface: 'popup', state: 'refusing' });
  await preview.page.setViewportSize({ width: 360, height: 380 });
  await preview.page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await testId('run-demo').click();
  await testId('toast').waitFor();
  await preview.page.clock.fastForward(60_000);
  const [toast, account] = [
    await testId('toast').boundingBox(),
    await preview.page.locator('.billing-account').boundingBox(),
  ];
  expect((account?.y ?? 0) + (account?.height ?? 0)).toBeLessThanOrEqual(toast?.y ?? 0);
  await testId('sign-out').click({ trial: true });
  await testId('toast-dismiss').click();
  await testId('toast').waitFor({ state: 'detached' });
});

it('says that a trial ended, until when access goes on, and what to do once it does not', async () => {
  await preview.show({ surface: 'popup', state: 'trial_unconfirmed' });
  const status = () => testId('plan-status').textContent();
  expect(await status()).toMatch(/To be confirmedYour trial ended on .*You keep access until .*connect/);
  await preview.show({ surface: 'popup', state: 'trial_lapsed' });
  expect(await status()).toMatch(/Not confirmedYour trial ended on .*Connect to the internet/);
  expect(await status()).not.toMatch(/days left|starts on/);
});

describe('a build with another catalogue', () => {
  it('without credits: a paywall offers the plans, takes the focus, and gives it back', async () => {
    await preview.show({ surface: 'popup', state: 'subscription_free' });
    await testId('run-demo_deep').focus();
    await preview.page.keyboard.press('Enter');
    await testId('plan-wall').waitFor();
    const holdsFocus = () => testId('plan-wall').evaluate((wall) => wall.contains(document.activeElement));
    await expect.poll(holdsFocus).toBe(true);
    expect(await testId('plan-wall').textContent()).toMatch(
      /Premium.*Every premium feature.*\$9\.00 per month.*Start 7-day trial.*\$90\.00 per year.*Save 16%/,
    );
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.keyboard.press('Escape');
    await testId('plan-wall').waitFor({ state: 'detached' });
    await expect.poll(() => hasFocus('run-demo_deep')).toBe(true);
    expect(await preview.page.getByText(/credit/i).count()).toBe(0);
  });

  it('without credits: a plan that gives no access is said to be on hold, and no other is offered', async () => {
    await preview.show({ surface: 'popup', state: 'subscription_withheld' });
    expect(await testId('plan-status').textContent()).toMatch(/On hold.*no access at the moment.*support/);
    await testId('run-demo_deep').click();
    const wall = testId('plan-wall');
    await wall.getByRole('button', { name: 'Manage billing' }).waitFor();
    expect(await wall.textContent()).toMatch(/^Premium.*no access at the moment/);
  });

  it('without credits: the full page sells plans and speaks of no packs', async () => {
    await preview.show({ surface: 'options', state: 'subscription_active' });
    await testId('plan-status').waitFor();
    expect(await preview.page.getByText(/credit|pack/i).count()).toBe(0);
    expect(await preview.page.getByText('Part of your plan').count()).toBe(1);
  });

  it('with two plans: each by its name and what it gives, buttons of one width', async () => {
    await preview.show({ surface: 'popup', state: 'two_tiers' });
    await testId('run-demo_deep').click();
    const offers = preview.page.locator('.billing-offer');
    await expect.poll(() => offers.count()).toBe(2);
    expect(await offers.nth(0).textContent()).toMatch(
      /^Starter10 documents.*\$9\.00.*\$90\.00 per yearSave 16%/,
    );
    expect(await offers.nth(1).textContent()).toMatch(/^ProfessionalDocuments without limit.*\$29\.00/);
    const buttons = testId('plan-wall').locator('.billing-button');
    const widths = await buttons.evaluateAll((all) => all.map((b) => b.getBoundingClientRect().width));
    expect([widths.length, new Set(widths).size]).toEqual([3, 1]);
  });

  it('without plans: packs are what is sold, and nothing says "plan" or "trial"', async () => {
    await preview.show({ surface: 'options', state: 'packs_only_new' });
    await testId(`buy-${PACK.small}`).waitFor();
    expect(await testId('plan-status').textContent()).toContain('Pay as you go');
    expect(await preview.page.getByText(/trial|plans?\b/i).count()).toBe(0);
  });

  it('in a currency without decimals: whole amounts', async () => {
    await preview.show({ surface: 'options', state: 'signed_out_yen' });
    expect(await testId(`buy-${PACK.small}`).textContent()).toBe('Buy for ¥580');
    await expect
      .poll(() => preview.page.locator('article').first().textContent())
      .toContain('¥980 per month');
  });
});

it('shows prices to somebody who has not signed in, and leads from a price to the sign-in', async () => {
  await preview.show({ surface: 'options', state: 'signed_out' });
  expect(await testId(`buy-${PLAN.monthly}`).textContent()).toBe('Start 7-day trial');
  await testId(`buy-${PLAN.monthly}`).click();
  await preview.page.getByText('Then the checkout for “Premium” opens.').waitFor();
  await expect.poll(() => hasFocus('sign-in-email')).toBe(true);
});

describe('what happens while a page is open is said in it', () => {
  it('when a top-up arrives, also in a page that was opened after its checkout', async () => {
    await preview.show({ surface: 'popup', state: 'checkout_open' });
    await testId('topup-wall').waitFor();
    await write({ credits: { balance: 100, allowance: 0, packCredits: 100, monthlyCredits: 1000 } });
    await expect.poll(() => testId('toast').textContent()).toBe('100 credits added, 100 left.');
    await testId('topup-wall').waitFor({ state: 'detached' });
  });

  it('when a month renews, at a balance of 0: the wall goes', async () => {
    await preview.show({ surface: 'popup', state: 'empty' });
    await testId('topup-wall').waitFor();
    await write({ credits: { balance: 1000, allowance: 1000, packCredits: 0, monthlyCredits: 1000 } });
    await testId('topup-wall').waitFor({ state: 'detached' });
    expect(await testId('balance-meter').textContent()).toContain('1,000');
  });

  it('when a plan is bought, cancelled and kept', async () => {
    await preview.show({ surface: 'options', state: 'free', locale: 'de-DE' });
    const toast = () => testId('toast').textContent();
    await write({ paid: true, state: 'active', plan: PLAN.metered, status: 'active' });
    await expect.poll(toast).toBe('Willkommen bei Premium mit Credits.');
    await write({
      state: 'cancel_pending',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: Date.UTC(2031, 0, 15, 12),
    });
    await expect.poll(toast).toBe('Dein Tarif endet am 15. Jan. 2031. Bis dahin hast du Zugang.');
    await write({ state: 'active', cancelAtPeriodEnd: false });
    await expect.poll(toast).toBe('Dein Tarif läuft weiter.');
  });
});

describe('what was spent', () => {
  it('stands in a chart and in a table, with the same sum', async () => {
    await preview.show({ surface: 'options', state: 'active' });
    const label = await testId('usage-chart').getByRole('img').getAttribute('aria-label');
    const sum = Number(label?.match(/^(\d+) credits spent in 30 days$/)?.[1]);
    await preview.page.getByText('Show as a table').focus();
    await preview.page.keyboard.press('Enter');
    const cells = await preview.page.locator('tbody td:last-child').allTextContents();
    expect(cells.reduce((total, cell) => total + Number(cell), 0)).toBe(sum);
    await preview.page.getByText('7 days').click();
    await preview.page.getByRole('img', { name: /in 7 days$/ }).waitFor();
    expect(await preview.page.locator('tbody tr').count()).toBeLessThanOrEqual(7);
    expect(await auditPage(preview.page)).toEqual([]);
  });

  it('has the receipt of each call that a backend measured, however long its words are', async () => {
    await preview.show({ surface: 'options', state: 'usage_receipts' });
    const items = testId('usage-receipts').getByRole('listitem');
    await expect
      .poll(() => items.first().textContent())
      .toMatch(/small-model4 credits1,200 input × 1\/1,000, 450 output × 4\/1,000/);
    expect(await items.count()).toBe(3);
    expect(await auditPage(preview.page)).toEqual([]);
    const width = await preview.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(width, 'nothing to scroll sideways').toBe(0);
    await preview.show({ surface: 'options', state: 'active' });
    await testId('usage-chart').waitFor();
    expect(await testId('usage-receipts').count()).toBe(0);
  });

  it('says what is wrong when it does not load, and asks again', async () => {
    await preview.show({ surface: 'options', state: 'usage_failed' });
    await testId('usage-failed').getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => testId('usage-failed').textContent()).toMatch(/did not load/);
  });

  it('has the place of the chart kept while it loads, and while there is nothing', async () => {
    for (const [state, id] of [
      ['usage_pending', 'usage-loading'],
      ['usage_none', 'usage-empty'],
    ] as const) {
      await preview.show({ surface: 'options', state });
      expect((await testId(id).boundingBox())?.height, state).toBeGreaterThanOrEqual(200);
    }
  });
});

describe('the account', () => {
  it('is deleted in two steps, all by keyboard, after it was said what is lost', async () => {
    await preview.show({ surface: 'options', state: 'active_with_packs' });
    await testId('delete-account').focus();
    await preview.page.keyboard.press('Enter');
    const confirm = testId('delete-confirm');
    await expect.poll(() => confirm.textContent()).toMatch(/Your plan ends now.*1,344 credits are given up/);
    expect(await auditPage(preview.page)).toEqual([]);
    await preview.page.keyboard.press('Tab');
    await preview.page.keyboard.press('Tab');
    await expect.poll(() => hasFocus('delete-for-good')).toBe(true);
    await preview.page.keyboard.press('Enter');
    await expect.poll(() => hasFocus('delete-password')).toBe(true);
    await preview.page.keyboard.type('correct horse');
    await preview.page.keyboard.press('Enter');
    await expect.poll(() => testId('toast').textContent()).toMatch(/^Your account is deleted\./);
    await testId('sign-in-email').waitFor();
  });

  it('of a guest is kept or left behind, and never signed out by the way', async () => {
    await preview.show({ surface: 'options', state: 'guest' });
    await testId('keep-account').waitFor();
    expect(await testId('sign-out').count()).toBe(0);
    await testId('sign-in-email').fill('ada@example.com');
    await testId('sign-in-password').fill('correct horse');
    await testId('sign-in-submit').click();
    await expect.poll(() => preview.page.getByRole('alert').textContent()).toMatch(/bought as a guest/);
    await testId('leave-guest').click();
    await expect.poll(() => preview.page.getByRole('alert').textContent()).toMatch(/^Email or password/);
  });

  it('is reached by a mail link all by keyboard, and nobody loses their place in the page', async () => {
    await preview.show({ surface: 'popup', state: 'signed_out_before' });
    const focused = () => preview.page.evaluate(() => document.activeElement?.getAttribute('data-testid'));
    const card = () => preview.page.locator('section:focus').getByRole('heading').textContent();
    await testId('sign-in-email').fill('ada@example.com');
    await testId('sign-in-link').focus();
    await preview.page.keyboard.press('Enter');
    await testId('link-sent').getByText('A link is on its way to ada@example.com.').waitFor();
    await expect.poll(card).toBe('Check your mail');
    expect(await testId('sign-in-password').count(), 'one way at a time').toBe(0);

    await preview.page.keyboard.press('Tab');
    await preview.page.keyboard.type('https://shop.example/?oobCode=used');
    await preview.page.keyboard.press('Enter');
    await expect
      .poll(() => preview.page.getByRole('alert').textContent())
      .toMatch(/^This link cannot be used/);
    expect(await focused()).toBe('link-paste');
    expect(await auditPage(preview.page)).toEqual([]);
    await testId('link-again').click();
    await testId('link-sent').getByRole('status').waitFor();

    await testId('link-other-way').focus();
    await preview.page.keyboard.press('Enter');
    await expect.poll(card).toBe('Sign in');
    expect(await testId('sign-in-email').inputValue()).toBe('ada@example.com');
  });

  it('gets a link for a new password, with the address alone', async () => {
    await preview.show({ surface: 'popup', state: 'signed_out_before' });
    await testId('sign-in-email').fill('ada@example.com');
    await testId('reset-password').click();
    await expect
      .poll(() => testId('reset-sent').textContent())
      .toBe('If there is an account for ada@example.com, a link for a new password is on its way.');
  });
});

it('draws pack credits from the very start of the bar where there is no allowance', async () => {
  await preview.show({ surface: 'popup', state: 'free_with_packs' });
  const gap = await preview.page.evaluate(() => {
    const [bar, packs] = ['.billing-meter-bar', '.billing-meter-bar [data-part="packs"]'].map((at) =>
      document.querySelector(at)?.getBoundingClientRect(),
    );
    return (packs?.left ?? 0) - (bar?.left ?? 0);
  });
  expect(gap).toBe(0);
});

it('says that a checkout is open, and opens it again', async () => {
  await preview.show({ surface: 'popup', state: 'empty' });
  const buy = testId(`buy-${PACK.small}`);
  await buy.click();
  await expect.poll(() => buy.textContent()).toBe('Open again');
  await buy.click({ trial: true });
});
