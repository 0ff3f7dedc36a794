import { describe, expect, it } from 'vitest';
import { dashboardAnswers } from '../../test/dashboard-fixtures.ts';
import { usePagesOnScreen } from '../../test/pages-on-screen.ts';
import { renderDashboard } from './dashboard.ts';

const SUBSCRIPTION_CANCEL = '/_sim/subscriptions/sub_ada/cancel';

const screen = usePagesOnScreen(() => [['/_sim', renderDashboard()], ...Object.entries(dashboardAnswers())]);

async function open() {
  await screen.page.goto('/_sim');
  await screen.page.waitForSelector('body[data-state=ready]');
}

/** The posts so far, as path and body. */
function commands(): unknown[] {
  return screen.posted.map(({ path, body }) => [path, JSON.parse(body)]);
}

function customer(id: string) {
  return screen.page.locator(`article#${id}`);
}

describe('the page to play with', () => {
  it('shows a customer with plan, payments and the record at the service', async () => {
    await open();
    const ada = await customer('cus_ada').textContent();
    expect(ada).toContain('Premium monthly active');
    expect(ada).toContain('Renews on');
    expect(ada).toContain('$2.00 refunded');
    expect(ada).toContain('¥500');
    expect(ada).toMatch(/creditsRemaining\s*140/);
    expect(ada).toMatch(/entitledUntil\s*Dec \d+, 2026/);
  });

  it('takes what others wrote as text', async () => {
    await open();
    expect(await customer('cus_bob').locator('h3').textContent()).toBe(
      '<img src=x onerror=alert(1)>@example.com',
    );
    expect(await screen.page.locator('img').count()).toBe(0);
  });

  it('shows what an event changed and how its deliveries ended', async () => {
    await open();
    const event = await screen.page.locator('li#evt_2').textContent();
    expect(event).toContain('status: trialing → active');
    expect(event).toContain('failed 500');
    expect(event).toContain('delivered 200, attempt 2');
    expect(await screen.page.locator('li#evt_4').textContent()).toContain('on its way');
  });

  it('posts what each button stands for, and says that it was done', async () => {
    await open();
    const buttons = {
      'button:text-is("7 days")': ['/_sim/clock/advance', { seconds: 7200, days: 7 }],
      'button:text-is("1 month")': ['/_sim/clock/advance', { seconds: 7200, months: 1 }],
      'li#ch_2 button:has-text("Refund")': ['/_sim/refund', { charge: 'ch_2' }],
      'li#ch_1 button:has-text("Dispute")': ['/_sim/dispute', { charge: 'ch_1' }],
      'li#ch_5 button:has-text("Win")': ['/_sim/dispute', { charge: 'ch_5', outcome: 'won' }],
      'li#sub_ada button:has-text("End with")': [SUBSCRIPTION_CANCEL, { at_period_end: true }],
      'li#sub_ada button:has-text("Cancel now")': [SUBSCRIPTION_CANCEL, { at_period_end: false }],
      'article#cus_ada button:has-text("be declined")': [
        '/_sim/customers/cus_ada/card',
        { card: '4000000000000341' },
      ],
      'li#evt_2 button:has-text("Resend")': ['/_sim/resend', { event: 'evt_2' }],
      'button:has-text("Send held")': ['/_sim/flush', {}],
    };
    for (const button of Object.keys(buttons)) await screen.page.click(button);
    await expect.poll(commands).toEqual(Object.values(buttons));
    await expect.poll(() => screen.page.textContent('#said')).toBe('Held deliveries were sent.');
  });

  it('sets how deliveries are made', async () => {
    await open();
    await screen.page.selectOption('select[name=order]', 'shuffle');
    await screen.page.fill('input[name=copies]', '2');
    await screen.page.check('input[name=hold]');
    await screen.page.click('button:has-text("Apply")');
    await expect
      .poll(commands)
      .toEqual([['/_sim/delivery', { order: 'shuffle', copies: 2, hold: true, drop: false }]]);
  });

  it('shows how deliveries are made now, and leaves alone what is being set', async () => {
    screen.served.set('/_sim/delivery', { order: 'reverse', copies: 3, hold: true, drop: false });
    await open();
    expect(await screen.page.inputValue('select[name=order]')).toBe('reverse');
    expect(await screen.page.inputValue('input[name=copies]')).toBe('3');
    expect(await screen.page.isChecked('input[name=hold]')).toBe(true);
    await screen.page.fill('input[name=copies]', '5');
    screen.served.set('/_sim/deliveries', []);
    await screen.page.waitForSelector('text=No event yet that an endpoint takes.');
    expect(await screen.page.inputValue('input[name=copies]')).toBe('5');
  });

  it('resets only after a second step', async () => {
    await open();
    await screen.page.click('summary:has-text("Reset")');
    expect(commands()).toEqual([]);
    await screen.page.click('button:has-text("Forget everything")');
    await expect.poll(commands).toEqual([['/_sim/reset', {}]]);
  });

  it('marks the events that the last change made', async () => {
    const answers = dashboardAnswers();
    await open();
    expect(await screen.page.locator('.fresh').count()).toBe(0);
    const state = answers['/_sim/state'] as { events: { id: string }[] };
    screen.served.set('/_sim/state', {
      ...state,
      events: [...state.events, { ...state.events[0], id: 'evt_5' }],
    });
    await screen.page.check('#all-events');
    await screen.page.waitForSelector('.fresh#evt_5');
    expect(await screen.page.locator('.fresh').count()).toBe(1);
  });

  it('keeps a typed amount, focus and open details through a refresh, and marks what changed', async () => {
    await open();
    await screen.page.locator('li#evt_2 summary').click();
    const amount = screen.page.locator('li#ch_1 input[name=amount]');
    await amount.fill('2.50');
    const records = dashboardAnswers()['/_sim/records'] as { cus_ada: object };
    screen.served.set('/_sim/records', { cus_ada: { ...records.cus_ada, creditsRemaining: 139 } });
    await screen.page.waitForSelector('.changed:has-text("139 was 140")');
    expect(await amount.inputValue()).toBe('2.50');
    expect(await screen.page.evaluate('document.activeElement.name')).toBe('amount');
    expect(await screen.page.locator('li#evt_2 pre').isVisible()).toBe(true);
    await screen.page.keyboard.press('Enter');
    await expect.poll(commands).toEqual([['/_sim/refund', { charge: 'ch_1', amount: 250 }]]);
  });

  it('repeats a refusal in the simulator’s words', async () => {
    screen.served.set('/_sim/refund', new Error('Charge ch_1 has already been refunded.'));
    await open();
    await screen.page.click('li#ch_1 button:has-text("Refund")');
    await expect
      .poll(() => screen.page.textContent('#failed'))
      .toBe('Charge ch_1 has already been refunded.');
  });

  it('says when the simulator is gone, and goes on when it is back', async () => {
    await open();
    screen.served.set('/_sim/state', new Error('gone'));
    await expect
      .poll(() => screen.page.textContent('#unreachable'), { timeout: 5000 })
      .toContain('does not answer');
    screen.served.set('/_sim/state', dashboardAnswers()['/_sim/state']);
    await expect.poll(() => screen.page.textContent('#unreachable'), { timeout: 5000 }).toBe('');
  });

  it('goes on, with the records seen last, while the service does not answer', async () => {
    await open();
    screen.served.set('/_sim/records', new Error('The service’s records cannot be had.'));
    await expect
      .poll(() => screen.page.textContent('#unreachable'), { timeout: 5000 })
      .toBe('The service’s records cannot be had.');
    expect(await customer('cus_ada').textContent()).toMatch(/creditsRemaining\s*140/);
    screen.served.set('/_sim/records', dashboardAnswers()['/_sim/records']);
    await expect.poll(() => screen.page.textContent('#unreachable'), { timeout: 5000 }).toBe('');
  });

  it('leaves the record out where the simulator has no service to ask', async () => {
    screen.served.delete('/_sim/records');
    await open();
    expect(await screen.page.locator('.record').count()).toBe(0);
  });

  it.each(['ADA@', 'cus_ada'])('finds a customer and their events by %s', async (text) => {
    await open();
    await screen.page.fill('#find', text);
    await expect.poll(() => screen.page.locator('article').count()).toBe(1);
    expect(await screen.page.locator('.event').count()).toBe(2);
    expect(await screen.page.textContent('#found')).toBe('1 of 3');
    await screen.page.fill('#find', 'nobody@');
    await screen.page.waitForSelector('text=No customer has that');
  });

  it('narrows to a customer whose name is pressed, and widens again', async () => {
    await open();
    const name = screen.page.locator('article#cus_bob h3 button');
    await name.click();
    await expect.poll(() => screen.page.locator('article').count()).toBe(1);
    await name.click();
    await expect.poll(() => screen.page.locator('article').count()).toBe(3);
  });

  it('hides the events that no endpoint takes until they are asked for', async () => {
    await open();
    expect(await screen.page.textContent('#unsent')).toBe('1 that no endpoint takes');
    expect(await screen.page.locator('li#evt_1').count()).toBe(0);
    await screen.page.check('#all-events');
    await screen.page.waitForSelector('li#evt_1:has-text("No endpoint takes it.")');
  });

  it('lines up at 1920 px: the header’s edges are the columns’', async () => {
    await screen.page.setViewportSize({ width: 1920, height: 1080 });
    await open();
    const edges = await screen.page.evaluate(`['h1', '.clock', '.side', '.timeline'].map((name) => {
      const { left, right } = document.querySelector(name).getBoundingClientRect();
      return [Math.round(left), Math.round(right)];
    })`);
    const [title, clock, customers, timeline] = edges as [number, number][];
    expect([title?.[0], clock?.[1]]).toEqual([customers?.[0], timeline?.[1]]);
  });

  it('says what a session sells and to whom, and leads from an invoice to its page', async () => {
    await open();
    expect(await screen.page.textContent('li#cs_2')).toContain('Small pack');
    expect(await screen.page.textContent('li#cs_2')).toContain('ada@example.com');
    await customer('cus_ada').locator('summary:has-text("1 invoice")').click();
    expect(await screen.page.getAttribute('li#in_1 a', 'href')).toBe('http://127.0.0.1:4242/i/in_1');
  });

  it('says what to do while there is nothing yet', async () => {
    const state = dashboardAnswers()['/_sim/state'] as Record<string, unknown[]>;
    screen.served.set('/_sim/state', Object.fromEntries(Object.keys(state).map((kind) => [kind, []])));
    screen.served.set('/_sim/deliveries', []);
    await open();
    const text = await screen.page.textContent('main');
    for (const part of [
      'No customer yet',
      'No event yet',
      'No session yet',
      'No prices yet',
      'No webhook endpoint yet',
    ]) {
      expect(text).toContain(part);
    }
  });
});
