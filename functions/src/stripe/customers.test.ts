import type { Stripe } from 'stripe';
import { describe, expect, it } from 'vitest';
import { providerError } from '../../test/app/fake-provider.ts';
import { endCustomer } from './customers.ts';

type Ending = () => Promise<unknown>;
const done: Ending = async () => ({});
const refused =
  (code?: string): Ending =>
  async () => {
    throw providerError('StripeInvalidRequestError', { code });
  };

/** One open session and one running subscription, and what the provider says when they are to be ended. */
function aCustomer({ expire = done, cancel = done, session = 'open', subscription = 'active' } = {}) {
  async function* rows(...all: readonly object[]) {
    yield* all;
  }
  const stripe = {
    checkout: {
      sessions: {
        list: () => rows({ id: 'cs_1' }),
        expire,
        retrieve: async () => ({ status: session }),
      },
    },
    subscriptions: {
      list: () => rows({ id: 'sub_1', status: 'active' }, { id: 'sub_0', status: 'canceled' }),
      cancel,
      retrieve: async () => ({ status: subscription }),
    },
  } as unknown as Stripe;
  return endCustomer(stripe, 'cus_1');
}

describe('ending a customer at the provider', () => {
  it('counts the subscriptions that this call ended', async () => {
    expect(await aCustomer()).toBe(1);
  });

  it('takes what the provider does not know, or says is over, for over', async () => {
    expect(
      await aCustomer({ expire: refused('resource_missing'), cancel: refused('resource_missing') }),
    ).toBe(0);
    const ended = { session: 'expired', subscription: 'canceled' };
    expect(await aCustomer({ expire: refused(), cancel: refused(), ...ended })).toBe(0);
  });

  it.each([
    ['a subscription', { cancel: refused('subscription_schedule_owned') }],
    ['an open checkout', { expire: refused('lock_timeout') }],
  ])(
    'fails where the provider refuses to end %s that still runs: its card would be charged on',
    async (_what, refusing) => {
      await expect(aCustomer(refusing)).rejects.toMatchObject({ type: 'StripeInvalidRequestError' });
    },
  );

  it('has nothing to end of a customer that the provider never had', async () => {
    const unknown = providerError('StripeInvalidRequestError', {
      code: 'resource_missing',
      param: 'customer',
    });
    const list = () => {
      throw unknown;
    };
    const stripe = { checkout: { sessions: { list } } } as unknown as Stripe;
    expect(await endCustomer(stripe, 'cus_elsewhere')).toBe(0);
  });
});
