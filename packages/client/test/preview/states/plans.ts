import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../../e2e/audit-page.ts';
import type { ShownPreview } from '../keep-preview-open.ts';

/** What is sold: plans and their changes, other catalogues, prices, and a checkout that is open. */
export function plans({ preview, testId, write, hasFocus }: ShownPreview): void {
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

  it('shows a yearly plan by what it costs each month, and what it saves', async () => {
    await preview.show({ surface: 'options', state: 'free' });
    await preview.page.getByText('Yearly, save 16%').click();
    const plan = preview.page.locator('article', { has: testId(`buy-${PLAN.yearly}`) });
    await expect.poll(() => plan.textContent()).toMatch(/\$7\.50 per month\$90\.00 billed yearlySave 16%/);
    const apart = await preview.page.getByRole('heading', { name: 'Only billed monthly' }).boundingBox();
    expect((await testId(`buy-${PLAN.metered}`).boundingBox())?.y).toBeGreaterThan(apart?.y ?? Infinity);
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

  it('offers no plan to the owner of a lifetime plan, who has them all, and packs as before', async () => {
    await preview.show({ surface: 'options', state: 'lifetime' });
    await testId(`buy-${PACK.small}`).waitFor();
    expect(await preview.page.locator('.billing-plan').count()).toBe(0);
    await preview.show({ surface: 'popup', state: 'lifetime' });
    await preview.page.getByRole('button', { name: 'See packs' }).waitFor();
  });

  it('offers at a paywall the plans that have the feature, and only those, to a subscriber too', async () => {
    await preview.show({ surface: 'popup', state: 'tier_too_low' });
    await testId('run-chat').click();
    const wall = testId('plan-wall');
    await wall.getByText('Premium with credits has it. Cancel any time.').waitFor();
    const buttons = wall.locator('[data-testid^="buy-"]');
    expect(await buttons.allTextContents()).toEqual(['Change to this plan']);
    expect(await buttons.getAttribute('data-testid')).toBe(`buy-${PLAN.metered}`);
    await write({ plan: PLAN.metered, entitlements: ['basic', 'pro'] });
    await wall.waitFor({ state: 'detached' });
  });

  it('leads from a paywall to billing if a plan that is cancelled has to be kept first', async () => {
    await preview.show({ surface: 'popup', state: 'tier_too_low' });
    await write({ state: 'cancel_pending', cancelAtPeriodEnd: true });
    await testId('run-chat').click();
    const wall = testId('plan-wall');
    await wall.getByText('First keep your plan').waitFor();
    expect(await testId('wall-manage-billing').textContent()).toBe('Keep my plan');
    await write({ uid: 'grace' });
    await wall.waitFor({ state: 'detached' });
  });

  it('shows prices to somebody who has not signed in, and leads from a price to the sign-in', async () => {
    await preview.show({ surface: 'options', state: 'signed_out' });
    expect(await testId(`buy-${PLAN.monthly}`).textContent()).toBe('Start 7-day trial, then $9 per month');
    await testId(`buy-${PLAN.monthly}`).click();
    await preview.page.getByText('Then the checkout for “Premium” opens.').waitFor();
    await expect.poll(() => hasFocus('sign-in-email')).toBe(true);
  });

  it('says that a checkout is open, and opens it again', async () => {
    await preview.show({ surface: 'popup', state: 'empty' });
    const buy = testId(`buy-${PACK.small}`);
    await buy.click();
    await expect.poll(() => buy.textContent()).toBe('Open again');
    expect(await buy.getAttribute('data-look'), 'no second payment is suggested').toBe('quiet');
    await buy.click({ trial: true });
  });
}
