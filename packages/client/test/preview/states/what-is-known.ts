import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../../e2e/audit-page.ts';
import { breakDates, wakes } from '../break-dates.ts';
import type { ShownPreview } from '../keep-preview-open.ts';

/** What a page says of the account, as it stands and while it changes. */
export function whatIsKnown({ preview, testId, write }: ShownPreview): void {
  it('runs what is held by taking all that is held: no backend measures it', async () => {
    await preview.show({ surface: 'popup', state: 'held_feature' });
    await testId('run-demo_deep').click();
    await expect.poll(() => testId('toast').textContent()).toMatch(/^20 credits spent, /);
  });

  it('shows the free credits that somebody will have who has not spent any', async () => {
    await preview.show({ surface: 'popup', state: 'free_expected' });
    expect(await testId('balance-meter').textContent()).toMatch(/^20 credits left20 of 20$/);
  });

  it('says what to do when the account does not load', async () => {
    await preview.page.clock.install();
    await preview.show({ surface: 'popup', state: 'loading' });
    await testId('loading').waitFor();
    await preview.page.clock.fastForward(13_000);
    await testId('load-failed').getByRole('button', { name: 'Try again' }).click();
    await testId('loading').waitFor();
  });

  it('shows the sign-in form if the browser’s storage refuses to read and to write', async () => {
    await preview.show({ surface: 'popup', state: 'storage_refuses' });
    expect(await testId('sign-in-email').isVisible()).toBe(true);
  });

  it('says that a page did not load that cannot be shown, wakes the worker, and shows what that repairs', async () => {
    await preview.show({ surface: 'popup', state: 'active' });
    await preview.page.evaluate(breakDates);
    await write({ cancelAtPeriodEnd: true });
    await testId('load-failed').waitFor();
    expect(await preview.page.evaluate(wakes)).toEqual(['billingHello']);
    await preview.page.evaluate('areDatesBroken = false');
    await write({ cancelAtPeriodEnd: false });
    await testId('plan-status').waitFor();
    await testId('load-failed').waitFor({ state: 'detached' });
  });

  it('says what to do where the browser’s storage does not answer', async () => {
    await preview.show({ surface: 'popup', state: 'storage_silent_first' });
    await testId('unreadable').waitFor();
    await preview.show({ surface: 'popup', state: 'storage_silent' });
    await expect
      .poll(() => testId('unreadable').textContent())
      .toMatch(/Close the browser and open it again/);
  });

  it('writes no French date into an English sentence, and says which language it speaks', async () => {
    await preview.show({ surface: 'popup', state: 'active', locale: 'fr-FR' });
    expect(await preview.page.locator('html').getAttribute('lang')).toBe('en');
    expect(await testId('plan-status').textContent()).toMatch(/Renews on [A-Z][a-z]{2} \d/);
  });

  it('says that a trial ended, until when access goes on, and what to do once it does not', async () => {
    await preview.show({ surface: 'popup', state: 'trial_unconfirmed' });
    const status = () => testId('plan-status').textContent();
    expect(await status()).toMatch(/To be confirmedYour trial ended on .*You keep access until .*connect/);
    await preview.show({ surface: 'popup', state: 'trial_lapsed' });
    expect(await status()).toMatch(/Not confirmedYour trial ended on .*Connect to the internet/);
    expect(await status()).not.toMatch(/days left|starts on/);
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

  it('draws pack credits from the very start of the bar where there is no allowance', async () => {
    await preview.show({ surface: 'popup', state: 'free_with_packs' });
    const gap = await preview.page.evaluate(() => {
      const bar = document.querySelector('.billing-meter-bar');
      const packs = document.querySelector('.billing-meter-bar [data-part="packs"]');
      if (bar === null || packs === null) return null;
      return packs.getBoundingClientRect().left - bar.getBoundingClientRect().left - bar.clientLeft;
    });
    expect(gap).toBe(0);
  });
}
