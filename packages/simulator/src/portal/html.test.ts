import { describe, expect, it } from 'vitest';
import { activePlan, paidInvoice, portal, TRIAL_END } from '../../test/page-fixtures.ts';
import { renderPortal } from './html.ts';

const HOSTILE = `'"><img src=x onerror=alert(1)>`;

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
        merchant: HOSTILE,
        customerEmail: HOSTILE,
        returnUrl: 'javascript:alert(1)',
        subscriptions: [activePlan({ planName: HOSTILE, id: HOSTILE })],
        paymentMethod: { brand: HOSTILE, last4: HOSTILE },
        notice: HOSTILE,
        error: { code: HOSTILE, message: HOSTILE },
      }),
    );
    expect(page).not.toContain('<img');
    expect(page).not.toContain('javascript:');
    expect(page).toContain('&#39;&quot;&gt;&lt;img');
  });
});
