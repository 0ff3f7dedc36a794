import Stripe from 'stripe';
import { describe, expect, it } from 'vitest';
import { refusalOf, startBench } from '../../test/harness.ts';

describe('a fault', () => {
  it.each([
    [500, Stripe.errors.StripeAPIError],
    [429, Stripe.errors.StripeRateLimitError],
    ['reset', Stripe.errors.StripeConnectionError],
  ] as const)('%s comes out as the SDK’s own class, as often as it is set', async (status, errorClass) => {
    const { stripe, control } = await startBench();
    // The SDK tries a connection that broke off once more by itself.
    await control('fault', { status, times: status === 'reset' ? 2 : 1 });
    expect(await refusalOf(stripe.customers.list())).toBeInstanceOf(errorClass);
    expect((await stripe.customers.list()).data).toEqual([]);
  });

  it('meets only the calls that it names, as often as it says', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 500, method: 'POST', path: '/v1/customers', times: 2 });
    await stripe.customers.list();
    await refusalOf(stripe.customers.create({}));
    await refusalOf(stripe.customers.create({}));
    expect((await stripe.customers.create({})).object).toBe('customer');
  });

  it('afterwards loses the answer of a call that was executed, which its idempotency key finds again', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 'reset', afterwards: true, times: 2 });
    await refusalOf(stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' }));
    const again = await stripe.customers.create({ email: 'a@example.com' }, { idempotencyKey: 'k1' });
    expect((await stripe.customers.list()).data.map((row) => row.id)).toEqual([again.id]);
  });

  it('is forgotten when it is cleared', async () => {
    const { stripe, control } = await startBench();
    await control('fault', { status: 500 });
    await control('fault', { clear: true });
    expect((await stripe.customers.list()).data).toEqual([]);
  });
});
