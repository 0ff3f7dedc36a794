import { randomUUID } from 'node:crypto';
import type { BillingState } from '@extension-billing/contract/customer';
import { costOf } from '@extension-billing/contract/features';
import { controlsOf } from '@extension-billing/simulator/control';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consume, readPaidClaim, signIn } from '../../packages/cli/src/local/account.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { allowance, sold } from '../../packages/cli/src/local/sold.ts';
import { readAddresses } from '../../packages/cli/src/local/suite.ts';
import { readSnapshot, sendMessage, waitForSnapshot } from '../browser.ts';
import type { BrowserKind, DrivenBrowser, Surface, Tab } from '../driver.ts';
import { cancelInPortal, DECLINED_CARD, payCheckout, submitCard } from '../hosted-pages.ts';
import { builtFor, launchIn } from '../launch.ts';

const suite = readAddresses(process.env);
const provider = controlsOf(suite.provider);
const surfaces = ['popup', 'side-panel', 'options'] as const satisfies readonly Surface[];
const MONTHLY = allowance();
const PACK = sold.smallPack.credits;
const COST = costOf(catalog, sold.feature) ?? 0;
const DEAR = costOf(catalog, sold.dearFeature) ?? 0;
const testId = (id: string): string => `[data-testid="${id}"]`;

/**
 * The main job on the built extension against the whole suite, nothing mocked. The steps follow one another:
 * each starts where the one before it ended, and no page is reloaded unless the step says so.
 */
export function journeyIn(kind: BrowserKind): void {
  describe('a person buys, spends, runs out, tops up, cancels and comes back', () => {
    let browser: DrivenBrowser;
    let built: Awaited<ReturnType<typeof builtFor>>;
    const pages = {} as Record<Surface, Tab>;
    const person = { email: `${randomUUID()}@example.test`, password: randomUUID() };

    beforeAll(async () => {
      await provider.reset();
      built = await builtFor(kind);
      browser = await launchIn(kind, { dist: built.dist });
      for (const surface of surfaces) pages[surface] = await browser.open(surface);
    });
    afterAll(async () => {
      await browser?.close();
      await built?.remove();
    });

    it('signs up and is free, with no meter, in every surface', async () => {
      const { options } = pages;
      await options.fill(testId('sign-in-email'), person.email);
      await options.fill(testId('sign-in-password'), person.password);
      await options.click(testId('sign-up-submit'));
      await everySurfaceShows('free');
      for (const surface of surfaces) {
        expect(await pages[surface].locator(testId('balance-meter')).count(), surface).toBe(0);
      }
      await claimBecomes(undefined);
    });

    it('is told on the hosted page that a card was declined, and stays free', async () => {
      const checkout = await buy(sold.metered.lookupKey);
      await submitCard(checkout, DECLINED_CARD);
      await checkout.waitForSelector('[role=alert]');
      expect((await readSnapshot(pages.options))?.state).toBe('free');
      await checkout.close();
    });

    it('buys the metered plan: trial and its credits appear everywhere without a reload', async () => {
      await payCheckout(await buy(sold.metered.lookupKey));
      await everySurfaceShows('trial');
      await everySurfaceHasBalance(MONTHLY);
      for (const surface of surfaces) {
        const words = await pages[surface].locator(testId('plan-status')).textContent();
        expect(words, surface).toContain(`${catalog.trialDays} days left`);
      }
      await claimBecomes(true);
    });

    it('turns active when the trial ends, with a fresh allowance', async () => {
      await run(sold.feature);
      await everySurfaceHasBalance(MONTHLY - COST);
      await provider.advanceDays(catalog.trialDays + 1);
      await provider.delivered();
      await everySurfaceShows('active');
      await everySurfaceHasBalance(MONTHLY);
      await claimBecomes(true);
    });

    it('spends: the balance falls everywhere by what the feature costs', async () => {
      await run(sold.feature);
      await everySurfaceHasBalance(MONTHLY - COST);
      await pages.popup.click(testId(`run-${sold.dearFeature}`));
      await everySurfaceHasBalance(MONTHLY - COST - DEAR);
    });

    it('buys a small pack: its credits are added, the allowance stays', async () => {
      await payCheckout(await buy(sold.smallPack.lookupKey));
      await everySurfaceHasBalance(MONTHLY - COST - DEAR + PACK);
      expect((await readSnapshot(pages.popup))?.credits).toMatchObject({
        allowance: MONTHLY - COST - DEAR,
        packCredits: PACK,
      });
    });

    it('spends to zero and is refused: the wall rises in every surface, the meter stays in view', async () => {
      await spendAll();
      await everySurfaceHasBalance(0);
      expect(await run(sold.feature)).toMatchObject({ ok: false, balance: 0, reason: 'exhausted' });
      for (const surface of surfaces) {
        await pages[surface].waitForSelector(testId('topup-wall'));
        expect(await pages[surface].locator(testId('balance-meter')).isVisible(), surface).toBe(true);
      }
    });

    it('dismisses the wall: it stays away everywhere and in reopened pages, until a spend is refused', async () => {
      await pages.popup.click(testId('topup-wall-dismiss'));
      for (const surface of surfaces) await wallIsGone(pages[surface]);
      await pages.popup.close();
      pages.popup = await browser.open('popup');
      await pages.popup.waitForSelector(testId('balance-meter'));
      for (const surface of surfaces) await wallIsGone(pages[surface]);
      expect(await run(sold.feature)).toMatchObject({ ok: false, reason: 'exhausted' });
      for (const surface of surfaces) await pages[surface].waitForSelector(testId('topup-wall'));
      await pages.popup.click(testId('topup-wall-dismiss'));
      for (const surface of surfaces) await wallIsGone(pages[surface]);
    });

    it('tops up, spends to zero again: the wall rises again, and a top-up clears it by itself', async () => {
      await payCheckout(await buy(sold.smallPack.lookupKey));
      await everySurfaceHasBalance(PACK);
      await spendAll();
      for (const surface of surfaces) await pages[surface].waitForSelector(testId('topup-wall'));
      await payCheckout(await buyFromWall());
      await everySurfaceHasBalance(PACK);
      for (const surface of surfaces) await wallIsGone(pages[surface]);
    });

    it('cancels in the portal: cancel pending, still paid', async () => {
      const portal = await browser.openedTab(() => pages.options.click(testId('manage-billing')));
      await cancelInPortal(portal);
      await everySurfaceShows('cancel_pending');
      await claimBecomes(true);
    });

    it('is free when the period has ended, and keeps its packs', async () => {
      await provider.advanceDays(32);
      await provider.delivered();
      await everySurfaceShows('free');
      await everySurfaceHasBalance(PACK);
      expect((await readSnapshot(pages.popup))?.credits).toMatchObject({ allowance: 0, packCredits: PACK });
      await claimBecomes(false);
    });

    it('buys for life: lifetime everywhere', async () => {
      await payCheckout(await buy(sold.lifetime.lookupKey));
      await everySurfaceShows('lifetime');
      await everySurfaceHasBalance(PACK);
      await claimBecomes(true);
    });

    const buy = (lookupKey: string): Promise<Tab> =>
      browser.openedTab(() => pages.options.click(testId(`buy-${lookupKey}`)));

    const buyFromWall = (): Promise<Tab> =>
      browser.openedTab(() =>
        pages.popup.click(`${testId('topup-wall')} ${testId(`buy-${sold.smallPack.lookupKey}`)}`),
      );

    const run = (feature: string) =>
      sendMessage<{ ok: boolean; balance: number | null; reason?: string }>(pages.popup, {
        type: 'creditsConsume',
        feature,
      });

    /** Spends by the dear feature on another device, which is quicker, all but the last two times; the rest here. */
    async function spendAll(): Promise<void> {
      const elsewhere = await signIn(suite, person);
      const { balance } = await currentCredits();
      const times = Array.from({ length: Math.floor(balance / DEAR) - 1 }, () =>
        consume(suite, elsewhere, sold.dearFeature),
      );
      expect(new Set(await Promise.all(times))).toEqual(new Set([200]));
      await everySurfaceHasBalance(balance - times.length * DEAR);
      for (let left = (await currentCredits()).balance; left >= COST; ) {
        const result = await run(sold.feature);
        expect(result).toMatchObject({ ok: true });
        left = result.balance ?? 0;
      }
    }

    async function currentCredits(): Promise<{ balance: number }> {
      const credits = (await readSnapshot(pages.popup))?.credits;
      if (!credits) throw new Error('Credits are not in use.');
      return credits;
    }

    async function everySurfaceShows(state: BillingState): Promise<void> {
      await waitForSnapshot(pages.options, (snapshot) => snapshot.uid !== null && snapshot.state === state);
      for (const surface of surfaces) {
        await pages[surface].waitForSelector(`${testId('plan-status')}[data-state="${state}"]`);
      }
    }

    async function everySurfaceHasBalance(credits: number): Promise<void> {
      await waitForSnapshot(pages.options, (snapshot) => snapshot.credits?.balance === credits);
      const words = credits.toLocaleString('en-US');
      for (const surface of surfaces) {
        await pages[surface].locator(testId('balance-value'), { hasText: words }).waitFor();
      }
    }

    const wallIsGone = (page: Tab): Promise<void> =>
      page.locator(testId('topup-wall')).waitFor({ state: 'detached' });

    async function claimBecomes(paid: boolean | undefined): Promise<void> {
      const uid = (await readSnapshot(pages.options))?.uid;
      await expect.poll(() => readPaidClaim(suite, String(uid)), { timeout: 10_000 }).toBe(paid);
    }
  });
}
