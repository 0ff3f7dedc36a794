import { PACK, PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../../e2e/audit-page.ts';
import type { ShownPreview } from '../keep-preview-open.ts';

/** What stands over a page: the wall at 0 credits, at the free ceiling, and what a press says. */
export function walls({ preview, testId, write, hasFocus }: ShownPreview): void {
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

    it('comes back when a spend is refused, dismissed or not, and says what is missing', async () => {
      // As from a content script: no button of the page was pressed.
      const press = (feature: string) =>
        preview.page.evaluate(
          (pressed) => Reflect.get(chrome, 'askBackground')({ type: 'creditsConsume', feature: pressed }),
          feature,
        );
      const wall = testId('topup-wall');
      await preview.show({ surface: 'popup', state: 'empty_dismissed' });
      expect(await wall.count()).toBe(0);
      await press('demo');
      await wall.getByText('You are out of credits').waitFor();
      await expect.poll(() => isFocusIn('topup-wall')).toBe(true);
      await preview.page.keyboard.press('Escape');
      await wall.waitFor({ state: 'detached' });

      await preview.show({ surface: 'popup', state: 'free_low' });
      expect(await wall.count()).toBe(0);
      await press('demo_deep');
      await wall.getByText('This takes 5 credits, and you have 4. Top up to keep going.').waitFor();
      await write({ credits: { balance: 104, allowance: 0, packCredits: 104, monthlyCredits: 0 } });
      await wall.waitFor({ state: 'detached' });
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
    const wall = () => testId('free-ceiling-wall');
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

    it('the wall has the plans with credits if no packs are sold', async () => {
      expect(await met('free_ceiling_plans_only')).toMatch(/^Today’s free credits.*Choose plan|trial/);
      const offered = wall().locator(`[data-testid^="buy-"]`);
      expect(await offered.count()).toBe(1);
      expect(await offered.getAttribute('data-testid'), 'no other plan covers the cost').toBe(
        `buy-${PLAN.metered}`,
      );
    });
  });

  it('says what a feature cost, and moves the number', async () => {
    await preview.show({ surface: 'popup', state: 'one_credit' });
    await testId('run-demo').click();
    await expect.poll(() => testId('toast').textContent()).toBe('1 credit spent, 0 left');
    await testId('topup-wall').waitFor();
  });

  it('raises the wall at a press that the credits do not cover', async () => {
    await preview.show({ surface: 'popup', state: 'one_credit' });
    await testId('run-demo_deep').click();
    await testId('topup-wall').getByText('This takes 5 credits, and you have 1.').waitFor();
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
}
