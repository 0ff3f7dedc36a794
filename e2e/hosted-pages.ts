import type { BrowserContext, Page } from 'playwright-core';
import type { Tab } from './driver.ts';

export const GOOD_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';

/** Does something that makes the worker open a tab, and returns that tab once it has loaded. */
export async function openedTab(context: BrowserContext, action: () => Promise<unknown>): Promise<Page> {
  const [tab] = await Promise.all([context.waitForEvent('page'), action()]);
  await tab.waitForLoadState();
  return tab;
}

/** Fills in the hosted checkout page as a person would and sends it; the page may answer with an error. */
export async function submitCard(checkout: Tab, number: string): Promise<void> {
  await fillIfThere(checkout, 'email', 'ada@example.test');
  await checkout.fill('input[name=number]', number);
  await checkout.fill('input[name=exp]', '12 / 34');
  await checkout.fill('input[name=cvc]', '123');
  await fillIfThere(checkout, 'name', 'Ada Lovelace');
  await checkout.click('button[name=action][value=pay]');
}

/** Pays the hosted checkout with a good card and waits until it has led back to the success page. */
export async function payCheckout(checkout: Tab): Promise<void> {
  await submitCard(checkout, GOOD_CARD);
  await checkout.waitForURL(/billing\/success/);
  await checkout.close();
}

/** Cancels the plan on the portal page: opens the confirmation, then confirms. */
export async function cancelInPortal(portal: Tab): Promise<void> {
  await portal.locator('summary', { hasText: 'Cancel plan' }).click();
  await portal.click('button[name=action][value=cancel]');
  await portal.waitForSelector('button[name=action][value=uncancel]');
  await portal.close();
}

async function fillIfThere(page: Tab, name: string, value: string): Promise<void> {
  const field = page.locator(`input[name=${name}]:not([type=hidden]):not([readonly])`);
  if ((await field.count()) > 0) await field.fill(value);
}
