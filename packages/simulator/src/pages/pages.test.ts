import { describe, expect, it } from 'vitest';
import {
  activePlan,
  packCheckout,
  paidInvoice,
  portal,
  TRIAL_END,
  trialCheckout,
} from '../../test/page-fixtures.ts';
import { renderCheckout, renderCheckoutClosed } from '../checkout/html.ts';
import { renderThreeDSecure } from '../payments/three-d-secure.ts';
import { renderPortal } from '../portal/html.ts';
import { formatMoney } from './money.js';
import { html } from './page.ts';

describe('money', () => {
  it.each([
    [500, 'usd', '$5.00'],
    [500, 'jpy', '¥500'],
    [500, 'mga', 'MGA 500'],
    [123_456, 'ugx', 'UGX 1,234.56'],
    [1234, 'kwd', 'KWD 1.234'],
    [-250, 'eur', '-€2.50'],
  ])('writes %i %s as %s', (amount, currency, text) => {
    expect(formatMoney(amount, currency).replace(/\u00a0/g, ' ')).toBe(text);
  });
});

describe('html', () => {
  it('escapes text, keeps markup, joins lists and drops nothings', () => {
    const inner = html`<b>${'<&>'}</b>`;
    expect(html`<p title="${`"'`}">${[inner, 0, null, false, undefined, '']}</p>`.markup).toBe(
      '<p title="&quot;&#39;"><b>&lt;&amp;&gt;</b>0</p>',
    );
  });
});

const HOSTILE = `"><script>alert('x')</script>`;

describe('the checkout page', () => {
  it('says what a trial costs today, and what it costs later and from when', () => {
    const page = renderCheckout(trialCheckout());
    expect(page).toContain('7 days free');
    expect(page).toContain('Then $9.00 per month, from November 28, 2026');
    expect(page).toMatch(/Total due today<\/dt><dd>\$0\.00/);
    expect(page).toMatch(/value="pay"[^>]*>Start trial</);
  });

  it('offers to subscribe where there is no trial', () => {
    const page = renderCheckout(
      trialCheckout({ trialDays: null, trialEndsAt: null, amountDueToday: 900, amountAfterTrial: null }),
    );
    expect(page).toMatch(/value="pay"[^>]*>Subscribe</);
    expect(page).toContain('$9.00 per month until you cancel.');
  });

  it('names the amount on the button of a payment', () => {
    expect(renderCheckout(packCheckout())).toMatch(/value="pay"[^>]*>Pay \$5\.00</);
  });

  it('shows a currency without minor units as its whole number', () => {
    const page = renderCheckout(packCheckout({ currency: 'jpy', amountDueToday: 1500 }));
    expect(page).toContain('Pay ¥1,500');
  });

  it('asks no card for a payment of nothing', () => {
    const page = renderCheckout(packCheckout({ amountDueToday: 0 }));
    expect(page).toContain('Complete order');
    expect(page).not.toContain('name="number"');
  });

  it.each(['email', 'number', 'exp', 'cvc', 'name'])('has one labelled input named %s', (name) => {
    const page = renderCheckout(trialCheckout());
    expect(page.match(new RegExp(`<input[^>]* name="${name}"`, 'g'))).toHaveLength(1);
    expect(page).toContain(`<label for="${name}">`);
  });

  it('offers the way back only where the session has one', () => {
    expect(renderCheckout(trialCheckout())).toContain('value="cancel"');
    expect(renderCheckout(trialCheckout({ cancelUrl: null }))).not.toContain('value="cancel"');
  });

  it('keeps a known email and asks for an unknown one', () => {
    expect(renderCheckout(packCheckout())).toMatch(/name="email"[^>]*value="ada@example\.com"[^>]*readonly/);
    expect(renderCheckout(trialCheckout())).not.toMatch(/<input[^>]*readonly/);
  });

  it('announces a refusal and ties it to its field', () => {
    const error = { field: 'number', code: 'card_declined', message: 'Your card was declined.' } as const;
    const page = renderCheckout(trialCheckout({ error }));
    expect(page).toMatch(/role="alert"[^>]*data-code="card_declined"/);
    expect(page.match(/Your card was declined/g)).toHaveLength(1);
    expect(page).toMatch(/name="number"[^>]*aria-invalid="true" aria-describedby="number-error"/);
    expect(page).toContain('<title>Error: Checkout');
  });

  it('asks for a promotion code only where the session allows one', () => {
    expect(renderCheckout(trialCheckout({ allowPromotionCodes: true }))).toContain('name="promotion_code"');
    expect(renderCheckout(trialCheckout())).not.toContain('name="promotion_code"');
  });

  it('shows a discount and the tax as lines of their own', () => {
    const page = renderCheckout(
      packCheckout({ discount: { code: 'HALF', amount: 250 }, automaticTax: true, taxAmount: 20 }),
    );
    expect(page).toMatch(/Discount \(HALF\)<\/dt><dd>-\$2\.50/);
    expect(page).toMatch(/Tax<\/dt><dd>\$0\.20/);
  });

  it('says that it is a simulation and loads nothing from elsewhere', () => {
    const page = renderCheckout(trialCheckout());
    expect(page).toContain('<strong>Simulation</strong>');
    expect(page).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it('escapes every text that others wrote', () => {
    const view = trialCheckout({
      merchant: HOSTILE,
      sessionId: HOSTILE,
      customerEmail: HOSTILE,
      allowPromotionCodes: true,
      lineItems: [{ name: HOSTILE, description: HOSTILE, amount: 1, currency: 'usd', interval: 'month' }],
      typed: { email: HOSTILE, name: HOSTILE },
      error: { field: 'number', code: HOSTILE, message: HOSTILE },
      discount: { code: HOSTILE, amount: 1 },
    });
    for (const page of [renderCheckout(view), renderCheckoutClosed(view)]) {
      expect(page).not.toContain('<script>alert');
      expect(page).not.toContain(HOSTILE);
      expect(page).toContain('&quot;&gt;&lt;script&gt;');
    }
  });
});

describe('the page of a closed session', () => {
  it('leads on from a complete session and back from an expired one', () => {
    const complete = renderCheckoutClosed(trialCheckout({ state: 'complete' }));
    expect(complete).toContain('This checkout session is complete');
    expect(complete).toContain('href="http://127.0.0.1:5056/success"');
    const expired = renderCheckoutClosed(trialCheckout({ state: 'expired' }));
    expect(expired).toContain('has expired');
    expect(expired).toContain('href="http://127.0.0.1:5056/cancel"');
  });

  it.each(['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'not a url'])(
    'does not link to %s',
    (successUrl) => {
      const page = renderCheckoutClosed(trialCheckout({ state: 'complete', successUrl }));
      expect(page).toContain('href="#"');
    },
  );

  it('keeps the address of an extension', () => {
    const cancelUrl = 'chrome-extension://keggfklddlhbjeolakknnaliambbpajm/options.html';
    expect(renderCheckoutClosed(trialCheckout({ state: 'expired', cancelUrl }))).toContain(
      `href="${cancelUrl}"`,
    );
  });
});

describe('the 3-D Secure page', () => {
  const threeDSecure = { intentId: 'pi_1', amount: 500, currency: 'usd', last4: '3155' };

  it('asks for the outcome of the amount and card', () => {
    const page = renderThreeDSecure(packCheckout({ threeDSecure }));
    expect(page).toContain('Pay $5.00 to');
    expect(page).toContain('ending in 3155');
    expect(page).toMatch(/type="hidden" name="action" value="authenticate"/);
    expect(page).toMatch(/name="result" value="ok"/);
    expect(page).toMatch(/name="result" value="fail"/);
  });

  it('speaks of later payments where nothing is due', () => {
    const page = renderThreeDSecure(packCheckout({ threeDSecure: { ...threeDSecure, amount: 0 } }));
    expect(page).toContain('Set up the card for later payments');
  });

  it('refuses a view without a challenge', () => {
    expect(() => renderThreeDSecure(packCheckout())).toThrow('cs_test_pack');
  });
});

const HOSTILE_IMAGE = `'"><img src=x onerror=alert(1)>`;

describe('the billing portal', () => {
  it('shows an active plan with its price and renewal, and two steps to cancel it', () => {
    const page = renderPortal(portal());
    expect(page).toContain('$9.00 per month');
    expect(page).toContain('Your plan renews on December 28, 2026.');
    expect(page).toMatch(/<summary[^>]*>Cancel plan</);
    expect(page).toMatch(/type="hidden" name="subscription" value="sub_1"/);
    expect(page).toMatch(/name="action" value="cancel"/);
    expect(page).not.toContain('value="uncancel"');
  });

  it('shows when a canceled plan ends, and offers to undo that', () => {
    const page = renderPortal(portal({ subscriptions: [activePlan({ cancelAt: TRIAL_END })] }));
    expect(page).toContain('Your plan ends on November 28, 2026.');
    expect(page).toMatch(/name="action" value="uncancel">Don't cancel</);
    expect(page).not.toContain('value="cancel"');
  });

  it('says what follows a trial, and that cancelling ends it with the trial', () => {
    const plan = activePlan({ status: 'trialing', trialEnd: TRIAL_END });
    const page = renderPortal(portal({ subscriptions: [plan] }));
    expect(page).toContain('Your trial ends on November 28, 2026. Then $9.00 per month.');
    expect(page).toContain('stays yours until November 28, 2026');
  });

  it('says so where cancelling ends the plan at once, and offers it not at all where it is off', () => {
    expect(renderPortal(portal({ cancellation: 'immediately' }))).toContain('Premium monthly ends at once');
    expect(renderPortal(portal({ cancellation: 'off' }))).not.toContain('value="cancel"');
  });

  it('asks for a card when a payment failed', () => {
    const page = renderPortal(portal({ subscriptions: [activePlan({ status: 'past_due' })] }));
    expect(page).toContain('Past due');
    expect(page).toContain('Update your card to keep the plan.');
  });

  it('offers nothing for a plan that has ended', () => {
    const page = renderPortal(portal({ subscriptions: [activePlan({ status: 'canceled' })] }));
    expect(page).toContain('This plan has ended.');
    expect(page).not.toContain('value="cancel"');
  });

  it('names the card, or says that there is none', () => {
    expect(renderPortal(portal())).toContain('Visa •••• 4242');
    const bare = renderPortal(portal({ paymentMethod: null }));
    expect(bare).toContain('No card is saved.');
    expect(bare).toContain('Add card');
  });

  it('opens the card form again when the card was refused', () => {
    const error = {
      field: 'number',
      code: 'incorrect_number',
      message: 'Your card number is incorrect.',
    } as const;
    const page = renderPortal(portal({ error }));
    expect(page).toMatch(/<details class="step" open>\s*<summary[^>]*>Update card/);
    expect(page).toMatch(/name="number"[^>]*aria-invalid="true"/);
    expect(page).toMatch(/name="action" value="update_card"/);
  });

  it('lists invoices with day, amount and state', () => {
    const page = renderPortal(
      portal({ invoices: [paidInvoice(), paidInvoice({ id: 'in_2', currency: 'jpy', status: 'open' })] }),
    );
    expect(page).toContain('November 28, 2026');
    expect(page).toContain('$9.00');
    expect(page).toContain('¥900');
    expect(page).toContain('>Due<');
  });

  it('says so when there is nothing to show', () => {
    const page = renderPortal(portal({ subscriptions: [], invoices: [] }));
    expect(page).toContain('There is no subscription.');
    expect(page).toContain('No invoices yet.');
  });

  it('tells what was just done', () => {
    expect(renderPortal(portal({ notice: 'Your card was saved.' }))).toMatch(
      /role="status">Your card was saved\./,
    );
  });

  it('escapes every text that others wrote and links nowhere that runs code', () => {
    const page = renderPortal(
      portal({
        merchant: HOSTILE_IMAGE,
        customerEmail: HOSTILE_IMAGE,
        returnUrl: 'javascript:alert(1)',
        subscriptions: [activePlan({ planName: HOSTILE_IMAGE, id: HOSTILE_IMAGE })],
        paymentMethod: { brand: HOSTILE_IMAGE, last4: HOSTILE_IMAGE },
        notice: HOSTILE_IMAGE,
        error: { code: HOSTILE_IMAGE, message: HOSTILE_IMAGE },
      }),
    );
    expect(page).not.toContain('<img');
    expect(page).not.toContain('javascript:');
    expect(page).toContain('&#39;&quot;&gt;&lt;img');
  });
});
