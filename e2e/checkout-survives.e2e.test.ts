import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allowance, sold } from '../packages/cli/src/local/sold.ts';
import { readAddresses } from '../packages/cli/src/local/suite.ts';
import type { AuthResult, OpenResult } from '../packages/client/src/messages.ts';
import { sendMessage, waitForSnapshot } from './browser.ts';
import { GOOD_CARD, openedTab, payCheckout, submitCard } from './hosted-pages.ts';
import { balanceShownAt, forgetRenders, statesShown } from './recorded-renders.ts';
import { openStage, PASSWORD, type Stage } from './stage.ts';

/** One of the simulator's control routes (packages/simulator/README.md). */
async function tellSimulator(route: 'reset' | 'delivery' | 'flush', body: object = {}): Promise<void> {
  const { provider } = readAddresses(process.env);
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${provider}/_sim/${route}`, init);
  if (!response.ok) throw new Error(`The simulator refused ${route}: ${await response.text()}`);
}

/** Real checkouts on the whole suite. Each step starts where the one before it ended. */
describe('what is bought arrives, once, though the worker is killed', () => {
  let stage: Stage;
  let page: Page;
  const killWorker = (): Promise<void> => stage.browser().killWorker();
  const buy = (lookupKey: string): Promise<OpenResult> =>
    sendMessage(page, { type: 'billingCheckout', lookupKey });
  const checkoutOf = (lookupKey: string): Promise<Page> =>
    openedTab(stage.browser().context, () => buy(lookupKey));

  beforeAll(async () => {
    await tellSimulator('reset');
    stage = await openStage();
    page = await stage.browser().open('options');
    const email = `${randomUUID()}@example.test`;
    const account = await sendMessage<AuthResult>(page, { type: 'authSignUp', email, password: PASSWORD });
    expect(account.ok).toBe(true);
    await waitForSnapshot(page, ({ uid, state }) => uid !== null && state === 'free');
  });
  afterAll(() => stage?.close());

  it('before the checkout starts, and while its hosted page is open', async () => {
    await killWorker();
    const checkout = await checkoutOf(sold.metered.lookupKey);
    await killWorker();
    await forgetRenders(page);
    await payCheckout(checkout);
    await balanceShownAt(page, allowance());
    // The provider's events of plan and credits come one after the other, in either order.
    await vi.waitFor(async () => expect((await statesShown(page)).at(-1)).toBe('trial'));
    await forgetRenders(page);
  });

  it('while the service opens the checkout: nothing opens, and the next try does', async () => {
    stage.api.fail(/checkout/, { kind: 'hold_answer' });
    const pagesBefore = stage.browser().context.pages().length;
    const requestsBefore = stage.api.requests.length;
    const cutOff = buy(sold.smallPack.lookupKey).catch((error: unknown) => error);
    const asked = () => stage.api.requests.slice(requestsBefore).map(({ path }) => path);
    await vi.waitFor(() => expect(asked()).toContainEqual(expect.stringContaining('checkout')), 10_000);
    await killWorker();
    expect(await cutOff).toBeInstanceOf(Error);
    stage.api.heal();
    expect(stage.browser().context.pages()).toHaveLength(pagesBefore);

    await payCheckout(await checkoutOf(sold.smallPack.lookupKey));
    await balanceShownAt(page, allowance() + sold.smallPack.credits);
  });

  it('after the payment, with the return page open and the provider’s event still to come', async () => {
    const checkout = await checkoutOf(sold.smallPack.lookupKey);
    await tellSimulator('delivery', { hold: true });
    await submitCard(checkout, GOOD_CARD);
    await checkout.waitForURL(/billing\/success/);
    await killWorker();
    await tellSimulator('delivery', { hold: false });
    await tellSimulator('flush');
    // The alarm that the checkout set, ringing now: a test need not wait a minute for it.
    await page.evaluate(() => chrome.alarms.create('billing-purchase', { when: Date.now() }));
    await balanceShownAt(page, allowance() + 2 * sold.smallPack.credits);
    await vi.waitFor(async () => expect(await page.evaluate(() => chrome.alarms.getAll())).toEqual([]));
    expect(await statesShown(page)).toEqual(['trial']);
  });

  it('though the page that asked is gone before the tab opens: the next one knows, and says what came', async () => {
    const button = `[data-testid="buy-${sold.smallPack.lookupKey}"]`;
    stage.api.fail(/checkout/, { kind: 'hold_answer' });
    await page.click(button);
    await page.getByRole('button', { name: /^Opening/ }).waitFor();
    const checkout = await openedTab(stage.browser().context, async () => {
      await page.close();
      stage.api.heal();
    });
    page = await stage.browser().open('options');
    await page.locator(button, { hasText: 'Open again' }).waitFor();
    await page.close();
    await payCheckout(checkout);
    page = await stage.browser().open('options');
    await page.getByText(`${sold.smallPack.credits} credits added`).waitFor();
    await balanceShownAt(page, allowance() + 3 * sold.smallPack.credits);
  });
});
