import { describe, expect, it } from 'vitest';
import { auditPage } from '../../../../e2e/audit-page.ts';
import { dashboardAnswers } from '../../test/dashboard-fixtures.ts';
import { activePlan, packCheckout, portal, TRIAL_END, trialCheckout } from '../../test/page-fixtures.ts';
import { type Posted, usePagesOnScreen } from '../../test/pages-on-screen.ts';
import { renderCheckout, renderCheckoutClosed } from '../checkout/html.ts';
import { renderThreeDSecure } from '../payments/three-d-secure.ts';
import { renderPortal } from '../portal/html.ts';
import { renderDashboard } from './dashboard.ts';
import { renderNotFound } from './hosted.ts';

const NUMBER_ERROR = { field: 'number', code: 'card_declined', message: 'Your card was declined.' } as const;
const DOCUMENTS = {
  '/trial': renderCheckout(trialCheckout({ allowPromotionCodes: true, automaticTax: true })),
  '/refused': renderCheckout(packCheckout({ error: NUMBER_ERROR })),
  '/complete': renderCheckoutClosed(trialCheckout({ state: 'complete' })),
  '/expired': renderCheckoutClosed(trialCheckout({ state: 'expired' })),
  '/3ds': renderThreeDSecure(
    packCheckout({ threeDSecure: { intentId: 'pi_1', amount: 500, currency: 'usd', last4: '3155' } }),
  ),
  '/portal': renderPortal(portal()),
  '/portal-refused': renderPortal(
    portal({ error: NUMBER_ERROR, subscriptions: [activePlan({ cancelAt: TRIAL_END })], notice: 'Saved.' }),
  ),
  '/nowhere': renderNotFound('There is no such session.'),
  '/_sim': renderDashboard(),
};

const screen = usePagesOnScreen(() => [...Object.entries(DOCUMENTS), ...Object.entries(dashboardAnswers())]);

async function onlyPost(): Promise<Posted> {
  await expect.poll(() => screen.posted.length).toBe(1);
  const [first] = screen.posted;
  if (first === undefined) throw new Error('Nothing was posted.');
  return first;
}

async function postedForm(): Promise<Record<string, string>> {
  const { type, body } = await onlyPost();
  expect(type).toBe('application/x-www-form-urlencoded');
  return Object.fromEntries(new URLSearchParams(body));
}

describe('axe', () => {
  it.each(Object.keys(DOCUMENTS))('finds nothing on %s, in light or in dark', async (path) => {
    await screen.page.emulateMedia({ colorScheme: 'light' });
    await screen.page.goto(path);
    if (path === '/_sim') await screen.page.waitForSelector('body[data-state=ready]');
    await screen.page.evaluate(
      'for (const details of document.querySelectorAll("details")) details.open = true',
    );
    const light = await auditPage(screen.page);
    await screen.page.emulateMedia({ colorScheme: 'dark' });
    const dark = await auditPage(screen.page, ['color-contrast']);
    expect([...light, ...dark]).toEqual([]);
  });
});

describe('the checkout form', () => {
  it('groups the card number and the expiry as they are typed, and pays on Enter', async () => {
    await screen.page.goto('/trial');
    await screen.page.fill('input[name=email]', 'ada@example.com');
    await screen.page.locator('input[name=number]').pressSequentially('4242424242424242');
    await screen.page.locator('input[name=exp]').pressSequentially('734');
    await screen.page.fill('input[name=cvc]', '12x3');
    await screen.page.fill('input[name=name]', 'Ada Lovelace');
    expect(await screen.page.inputValue('input[name=exp]')).toBe('07 / 34');
    await screen.page.press('input[name=name]', 'Enter');
    expect(await postedForm()).toEqual({
      action: 'pay',
      email: 'ada@example.com',
      number: '4242 4242 4242 4242',
      exp: '07 / 34',
      cvc: '123',
      name: 'Ada Lovelace',
    });
  });

  it('keeps the caret where a digit is corrected', async () => {
    await screen.page.goto('/trial');
    await screen.page.fill('input[name=number]', '4242 4242');
    await screen.page.evaluate('document.querySelector("#number").setSelectionRange(2, 2)');
    await screen.page.locator('input[name=number]').pressSequentially('99');
    expect(await screen.page.inputValue('input[name=number]')).toBe('4299 4242 42');
  });

  it('fills a test card with one click and sends a payment once', async () => {
    await screen.page.goto('/trial');
    await screen.page.click('button:has-text("Insufficient funds")');
    await screen.page.click('button[value=pay]');
    expect(await postedForm()).toMatchObject({ action: 'pay', number: '4000 0000 0000 9995', cvc: '123' });
    await screen.page.click('button[value=pay]');
    await screen.page.click('button[value=cancel]');
    const actions = () => screen.posted.map(({ body }) => new URLSearchParams(body).get('action'));
    await expect.poll(actions).toEqual(['pay', 'cancel']);
  });

  it('goes back without a filled form', async () => {
    await screen.page.goto('/trial');
    await screen.page.click('button[name=action][value=cancel]');
    expect(await postedForm()).toEqual({ action: 'cancel' });
  });

  it('puts the focus on what was refused', async () => {
    await screen.page.goto('/refused');
    await expect.poll(() => screen.page.evaluate('document.activeElement.name')).toBe('number');
    expect(await screen.page.getByText('Your card was declined.').count()).toBe(1);
  });

  it('keeps a refused card, for that page alone', async () => {
    const fields = () =>
      Promise.all(['number', 'exp', 'cvc'].map((name) => screen.page.inputValue(`input[name=${name}]`)));
    await screen.page.goto('/refused');
    await screen.page.click('button:has-text("Insufficient funds")');
    await screen.page.click('button[value=pay]');
    await expect.poll(() => screen.posted.length).toBe(1);
    await screen.page.goto('/refused');
    expect(await fields()).toEqual(['4000 0000 0000 9995', '12 / 34', '123']);
    await screen.page.goto('/refused');
    expect(await fields()).toEqual(['', '', '']);
  });

  it.each([
    [1280, 720],
    [1920, 1080],
  ])('shows its button without scrolling at %i × %i', async (width, height) => {
    await screen.page.setViewportSize({ width, height });
    await screen.page.goto('/trial');
    const button = await screen.page.locator('button[value=pay]').boundingBox();
    expect((button?.y ?? height) + (button?.height ?? 0)).toBeLessThan(height);
  });

  it('answers the bank', async () => {
    await screen.page.goto('/3ds');
    await screen.page.click('button[name=result][value=fail]');
    expect(await postedForm()).toEqual({ action: 'authenticate', result: 'fail' });
  });
});

describe('the portal', () => {
  it('cancels a plan in two steps, by keyboard alone', async () => {
    await screen.page.goto('/portal');
    await screen.page.focus('summary:has-text("Cancel plan")');
    await screen.page.keyboard.press('Enter');
    await screen.page.keyboard.press('Tab');
    await screen.page.keyboard.press('Enter');
    expect(await postedForm()).toEqual({ action: 'cancel', subscription: 'sub_1' });
  });

  it('saves another card', async () => {
    await screen.page.goto('/portal');
    await screen.page.click('summary:has-text("Update card")');
    await screen.page.click('button:has-text("Saves, then declined")');
    await screen.page.click('button[name=action][value=update_card]');
    expect(await postedForm()).toMatchObject({ action: 'update_card', number: '4000 0000 0000 0341' });
  });
});
