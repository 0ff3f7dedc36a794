import { describe, expect, it } from 'vitest';
import { buyPack, buyPlan, refusalOf, startBench } from '../../test/harness.ts';

describe('a refund', () => {
  it('of everything marks the charge as refunded', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench, { uid: 'u1' });
    const refund = await bench.stripe.refunds.create({
      charge: charge.id,
      expand: ['balance_transaction'],
    });
    expect(refund.balance_transaction).toMatchObject({ type: 'refund', amount: -500, net: -500 });
    expect(refund).toMatchObject({ amount: 500, status: 'succeeded', charge: charge.id });
    expect(await bench.stripe.charges.retrieve(charge.id)).toMatchObject({
      refunded: true,
      amount_refunded: 500,
    });
    expect((await bench.eventTypes()).slice(-2)).toEqual(['charge.refunded', 'refund.created']);
  });

  it('in parts adds up, and is full only with the last part', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench, { uid: 'u1' });
    const intent = String(charge.payment_intent);
    await bench.stripe.refunds.create({ payment_intent: intent, amount: 200 });
    expect(await bench.stripe.charges.retrieve(charge.id)).toMatchObject({
      refunded: false,
      amount_refunded: 200,
    });
    await bench.stripe.refunds.create({ payment_intent: intent, amount: 300 });
    const { data } = await bench.stripe.events.list({ type: 'charge.refunded' });
    const amounts = data.map((event) => Object(event.data.object).amount_refunded);
    expect(amounts).toEqual([500, 200]);
    expect(data[0]?.data.previous_attributes).toMatchObject({ amount_refunded: 200, refunded: false });
    expect(data.map((event) => Object(event.data.object).metadata)).toEqual([{ uid: 'u1' }, { uid: 'u1' }]);
  });

  it('shows its list on the charge only when it is asked for', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench);
    await bench.stripe.refunds.create({ charge: charge.id, amount: 100 });
    expect((await bench.stripe.charges.retrieve(charge.id)).refunds).toBeUndefined();
    const expanded = await bench.stripe.charges.retrieve(charge.id, { expand: ['refunds'] });
    expect(expanded.refunds?.data).toHaveLength(1);
  });

  it('of more than is left is refused', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench);
    const tooMuch = await refusalOf(bench.stripe.refunds.create({ charge: charge.id, amount: 600 }));
    expect(tooMuch.message).toBe('Refund amount (€6.00) is greater than charge amount (€5.00)');
    await bench.stripe.refunds.create({ charge: charge.id });
    const again = await refusalOf(bench.stripe.refunds.create({ charge: charge.id }));
    expect(again.code).toBe('charge_already_refunded');
  });

  it('of a renewal’s charge carries none of the subscription’s metadata', async () => {
    const bench = await startBench();
    await buyPlan(bench, { metadata: { uid: 'u1' } });
    const [charge] = (await bench.stripe.charges.list()).data;
    expect(charge?.metadata).toEqual({});
  });
});

describe('a dispute', () => {
  it('takes the whole charge and names its payment intent', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench, { uid: 'u1' });
    await bench.control('dispute', { charge: charge.id });
    const [dispute] = (await bench.stripe.disputes.list({ charge: charge.id })).data;
    expect(dispute).toMatchObject({
      amount: 500,
      status: 'needs_response',
      payment_intent: charge.payment_intent,
    });
    expect((await bench.stripe.charges.retrieve(charge.id)).disputed).toBe(true);
    expect(await bench.eventTypes()).toContain('charge.dispute.created');
  });

  it.each([
    [
      'winning_evidence',
      'won',
      ['charge.dispute.updated', 'charge.dispute.funds_reinstated', 'charge.dispute.closed'],
      [-500, 500],
    ],
    ['losing_evidence', 'lost', ['charge.dispute.updated', 'charge.dispute.closed'], [-500]],
  ])('with %s is %s, after the bank has looked at it', async (text, status, last, moved) => {
    const bench = await startBench();
    const { charge } = await buyPack(bench);
    await bench.control('dispute', { charge: charge.id });
    const [dispute] = (await bench.stripe.disputes.list()).data;
    const submitted = await bench.stripe.disputes.update(dispute?.id ?? '', {
      evidence: { uncategorized_text: text },
    });
    expect(submitted.status).toBe('under_review');
    await bench.control('flush', {});
    const decided = await bench.stripe.disputes.retrieve(submitted.id);
    expect(decided.status).toBe(status);
    expect(decided.balance_transactions.map(({ amount }) => amount)).toEqual(moved);
    expect((await bench.eventTypes()).slice(-last.length)).toEqual(last);
    expect((await refusalOf(bench.stripe.disputes.close(decided.id))).code).toBe('dispute_closed');
  });

  it('says so when its metadata or its evidence changes, and nothing when neither does', async () => {
    const bench = await startBench();
    const { charge } = await buyPack(bench);
    await bench.control('dispute', { charge: charge.id });
    const [dispute] = (await bench.stripe.disputes.list()).data;
    const before = (await bench.eventTypes()).length;
    await bench.stripe.disputes.update(dispute?.id ?? '', { metadata: { foo: 'bar' } });
    await bench.stripe.disputes.update(dispute?.id ?? '', { metadata: { foo: 'bar' } });
    expect((await bench.eventTypes()).slice(before)).toEqual(['charge.dispute.updated']);
  });

  it('is opened by the card that disputes by itself', async () => {
    const bench = await startBench();
    await bench.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_createDispute',
      confirm: true,
    });
    expect((await bench.stripe.disputes.list()).data).toHaveLength(1);
  });
});

describe('a refund that the bank sends back', () => {
  it('fails later, and takes the charge’s amount_refunded down again', async () => {
    const bench = await startBench();
    const intent = await bench.stripe.paymentIntents.create({
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_refundFail',
      confirm: true,
    });
    const refund = await bench.stripe.refunds.create({ payment_intent: intent.id });
    expect(refund.status).toBe('succeeded');
    await bench.control('clock/advance', { days: 1 });
    const failed = await bench.stripe.refunds.retrieve(refund.id, { expand: ['charge'] });
    expect(failed).toMatchObject({ status: 'failed', failure_reason: 'expired_or_canceled_card' });
    expect(failed.charge).toMatchObject({ refunded: false, amount_refunded: 0 });
    expect((await bench.eventTypes()).at(-1)).toBe('refund.failed');
  });
});
