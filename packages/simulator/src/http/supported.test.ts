import { describe, expect, it } from 'vitest';
import { buyPlan, refusalOf, startBench } from '../../test/harness.ts';
import { API_VERSION } from '../state/world.ts';
import type { Operation } from './operations.ts';
import type { RequestSchema } from './parameters.ts';
import { requestSchema } from './schemas.ts';
import { HEEDED } from './supported.ts';

/** The schemas that a step of a path may lead to, through lists and alternatives. */
function into(schema: RequestSchema, step: string): RequestSchema[] {
  const reached = [schema, ...(schema.anyOf ?? [])].flatMap((one) =>
    one.items === undefined ? [one] : [one, one.items, ...(one.items.anyOf ?? [])],
  );
  return reached.flatMap((one) => one.properties?.[step] ?? []);
}

function reaches(operation: Operation, path: string): boolean {
  const schemas = [requestSchema(operation), requestSchema(operation, API_VERSION)];
  return path
    .split('.')
    .reduce((found, step) => found.flatMap((schema) => into(schema, step)), schemas)
    .some(() => true);
}

describe('the table of heeded parameters', () => {
  it('names only what Stripe’s document has, each once', () => {
    for (const [operation, text] of Object.entries(HEEDED)) {
      const names = text.split(' ').map((entry) => entry.replace('~', '').split('=')[0] ?? '');
      const unknown = names.filter((name) => !reaches(operation as Operation, name));
      expect(unknown, operation).toEqual([]);
      expect(names.length, operation).toBe(new Set(names).size);
    }
  });
});

describe('a parameter that Stripe has and the simulator does not heed', () => {
  it.each([
    ['transfer_data[destination]', 'transfer_data'],
    ['collection_method', 'collection_method'],
    ['items[0][tax_rates][0]', 'items[0][tax_rates]'],
  ])('is refused by its name: %s', async (sent, named) => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench);
    const value = sent === 'collection_method' ? 'send_invoice' : 'txr_1';
    const answer = await fetch(`${bench.simulator.url}/v1/subscriptions/${subscription.id}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_simulator0000000000' },
      body: new URLSearchParams({ [sent]: value, 'metadata[changed]': 'yes' }),
    });
    expect(answer.status).toBe(400);
    const { error } = (await answer.json()) as { error: { message: string; param: string; type: string } };
    expect(error).toMatchObject({ param: named, type: 'invalid_request_error' });
    expect(error.message).toContain('which Stripe has');
    const same = await bench.stripe.subscriptions.retrieve(subscription.id);
    expect(same.metadata).toEqual({});
  });

  it('is refused in lists too: what is not filtered by would answer too much', async () => {
    const { stripe } = await startBench();
    const refusal = await refusalOf(stripe.subscriptions.list({ current_period_end: { gt: 1 } }));
    expect(refusal.param).toBe('current_period_end');
  });

  it('is taken where nothing that can be seen here depends on it', async () => {
    const { stripe, price } = await startBench();
    const session = await stripe.checkout.sessions.create({
      mode: 'payment',
      line_items: [{ price: (await price('coins_small')).id, quantity: 1 }],
      success_url: 'https://example.com/done',
      custom_text: { submit: { message: 'Thank you' } },
    });
    expect(session.status).toBe('open');
  });
});

describe('a subscription’s settings', () => {
  it('take a discount, tax and metadata of the item', async () => {
    const bench = await startBench();
    const { subscription } = await buyPlan(bench, { lookupKey: 'club_monthly' });
    const coupon = await bench.stripe.coupons.create({ percent_off: 50, duration: 'forever' });
    const changed = await bench.stripe.subscriptions.update(subscription.id, {
      automatic_tax: { enabled: true },
      discounts: [{ coupon: coupon.id }],
      items: [{ id: subscription.items.data[0]?.id ?? '', metadata: { seat: '1' } }],
    });
    expect(changed.automatic_tax.enabled).toBe(true);
    expect(changed.items.data[0]?.metadata).toEqual({ seat: '1' });
    await bench.control('clock/advance', { days: 32 });
    const [renewal] = (await bench.stripe.invoices.list({ subscription: subscription.id })).data;
    expect(renewal?.amount_paid).toBe(450);
  });
});
