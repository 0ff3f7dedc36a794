import { describe, expect, it } from 'vitest';
import { packCheckout, trialCheckout } from '../../test/page-fixtures.ts';
import { renderThreeDSecure } from '../payments/three-d-secure.ts';
import { renderCheckout, renderCheckoutClosed } from './html.ts';

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
    expect(page).toContain('<a href="#number">Your card was declined.</a>');
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
