import { TRIAL_END } from './page-fixtures.ts';

const NOW = TRIAL_END;
const DAY = 86_400;

function subscription(id: string, customer: string, status: string, change: object = {}) {
  return {
    id,
    object: 'subscription',
    customer,
    status,
    created: NOW - 7 * DAY,
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    trial_end: status === 'trialing' ? NOW + 7 * DAY : null,
    items: {
      data: [
        {
          current_period_end: NOW + 30 * DAY,
          price: {
            id: 'price_monthly',
            lookup_key: 'club_monthly',
            product: 'prod_premium',
            unit_amount: 900,
            currency: 'usd',
            recurring: { interval: 'month' },
          },
        },
      ],
    },
    ...change,
  };
}

function charge(id: string, customer: string, change: object = {}) {
  return {
    id,
    object: 'charge',
    customer,
    amount: 900,
    amount_refunded: 0,
    currency: 'usd',
    created: NOW - DAY,
    status: 'succeeded',
    refunded: false,
    description: 'Subscription update',
    failure_code: null,
    failure_message: null,
    ...change,
  };
}

function event(id: string, type: string, object: object, previous?: object) {
  const data = previous === undefined ? { object } : { object, previous_attributes: previous };
  return { id, object: 'event', type, created: NOW - DAY, data };
}

function delivery(id: string, eventId: string, status: string, change: object = {}) {
  return {
    id,
    event: eventId,
    type: 'customer.subscription.updated',
    endpoint: 'we_1',
    url: 'http://127.0.0.1:5055/api/webhook',
    attempt: 1,
    status,
    responseStatus: status === 'delivered' ? 200 : null,
    responseBody: null,
    at: status === 'pending' ? null : NOW,
    ...change,
  };
}

/** What the control routes answer in an account where a little of everything has happened. */
export function dashboardAnswers(): Record<string, unknown> {
  const ada = subscription('sub_ada', 'cus_ada', 'active');
  return {
    '/_sim/now': { now: NOW },
    '/_sim/delivery': { order: 'fifo', copies: 1, hold: false, drop: false },
    '/_sim/records': {
      cus_ada: {
        paid: true,
        plan: 'club_monthly',
        status: 'active',
        cancelAtPeriodEnd: false,
        currentPeriodEnd: (NOW + 30 * DAY) * 1000,
        entitledUntil: 1_796_635_805_000,
        creditsRemaining: 140,
        creditsAllowance: 40,
        packCreditsRemaining: 100,
      },
    },
    '/_sim/state': {
      customers: [
        { id: 'cus_ada', email: 'ada@example.com', created: NOW - 9 * DAY, test_clock: null },
        {
          id: 'cus_bob',
          email: '<img src=x onerror=alert(1)>@example.com',
          created: NOW - 8 * DAY,
          test_clock: 'clock_1',
        },
        { id: 'cus_new', email: null, name: 'Nobody yet', created: NOW, test_clock: null },
      ],
      subscriptions: [
        ada,
        subscription('sub_old', 'cus_ada', 'canceled', { ended_at: NOW - 8 * DAY, created: NOW - 90 * DAY }),
        subscription('sub_bob', 'cus_bob', 'past_due'),
        subscription('sub_bob2', 'cus_bob', 'trialing', { cancel_at: NOW + 7 * DAY }),
      ],
      invoices: [
        {
          id: 'in_1',
          number: 'ADA-0001',
          hosted_invoice_url: 'http://127.0.0.1:4242/i/in_1',
          customer: 'cus_ada',
          amount_due: 900,
          currency: 'usd',
          status: 'paid',
          created: NOW - DAY,
          billing_reason: 'subscription_cycle',
        },
      ],
      charges: [
        charge('ch_1', 'cus_ada'),
        charge('ch_2', 'cus_ada', { amount: 500, amount_refunded: 200, description: 'Small pack' }),
        charge('ch_3', 'cus_ada', { amount: 500, amount_refunded: 500, refunded: true, currency: 'jpy' }),
        charge('ch_4', 'cus_bob', {
          status: 'failed',
          failure_code: 'card_declined',
          failure_message: 'Your card was declined.',
        }),
        charge('ch_5', 'cus_bob'),
      ],
      refunds: [],
      disputes: [{ id: 'dp_1', charge: 'ch_5', status: 'needs_response' }],
      checkout_sessions: [
        {
          id: 'cs_1',
          mode: 'subscription',
          status: 'complete',
          amount_total: 0,
          currency: 'usd',
          created: NOW - 9 * DAY,
          url: null,
        },
        {
          id: 'cs_2',
          customer: 'cus_ada',
          line_items: { data: [{ description: 'Small pack' }] },
          mode: 'payment',
          status: 'open',
          amount_total: 500,
          currency: 'usd',
          created: NOW,
          url: 'http://127.0.0.1:4242/c/pay/cs_2',
        },
      ],
      payment_intents: [],
      prices: [
        {
          id: 'price_monthly',
          active: true,
          product: 'prod_premium',
          lookup_key: 'club_monthly',
          unit_amount: 900,
          currency: 'usd',
          recurring: { interval: 'month' },
        },
        {
          id: 'price_pack',
          active: true,
          product: 'prod_pack',
          lookup_key: 'coins_small',
          unit_amount: 500,
          currency: 'usd',
          recurring: null,
        },
      ],
      products: [
        { id: 'prod_premium', name: 'Premium monthly' },
        { id: 'prod_pack', name: 'Small pack' },
      ],
      events: [
        event('evt_1', 'customer.created', { id: 'cus_ada', object: 'customer' }),
        event('evt_2', 'customer.subscription.updated', ada, { status: 'trialing', items: { data: [] } }),
        event('evt_3', 'invoice.payment_failed', { id: 'in_2', object: 'invoice', customer: 'cus_bob' }),
        event('evt_4', 'charge.refunded', { id: 'ch_2', object: 'charge', customer: 'cus_ada' }),
      ],
      webhook_endpoints: [{ id: 'we_1', url: 'http://127.0.0.1:5055/api/webhook', status: 'enabled' }],
    },
    '/_sim/deliveries': [
      delivery('del_1', 'evt_2', 'failed', { responseStatus: 500, responseBody: 'Internal error' }),
      delivery('del_2', 'evt_2', 'delivered', { attempt: 2 }),
      delivery('del_3', 'evt_3', 'held'),
      delivery('del_4', 'evt_4', 'pending'),
    ],
  };
}
