import { describe, expect, it } from 'vitest';
import { firestore } from './app/emulated-user.ts';
import { anEvent, packBought } from './factories/provider-events.ts';
import { aUser, deliver, postWebhook, signatureOf } from './fixtures/service.ts';

/** Each row of the specification's table "Errors" that a server can show; the client's own are in extension/. */
describe('errors', () => {
  it('consume when balance is exhausted: HTTP 402', async () => {
    const user = await aUser();
    await deliver(packBought(user, 1));
    await user.consume();
    expect(await user.consume()).toMatchObject({
      status: 402,
      body: { code: 'credits_exhausted', balance: 0 },
    });
  });

  it('webhook event already processed: HTTP success with outcome duplicate; state unchanged', async () => {
    const user = await aUser();
    const event = packBought(user, 5);
    await deliver(event);
    await user.consume();
    expect(await deliver(event)).toMatchObject({ status: 200, body: { outcome: 'duplicate' } });
    expect(await user.credits()).toEqual({ allowance: 0, packs: 4 });
  });

  it('webhook event of an unhandled kind: outcome ignored', async () => {
    const event = anEvent('product.created', { id: 'prod_1', object: 'product' });
    expect(await deliver(event)).toMatchObject({ status: 200, body: { outcome: 'ignored' } });
    expect((await firestore.doc(`billing_events/${event.id}`).get()).exists).toBe(false);
  });
});

describe('a webhook that is not the provider’s', () => {
  const payloadFor = (uid: string) => JSON.stringify({ object: 'event', ...packBought({ uid }, 100) });
  const hourAgo = () => Math.floor(Date.now() / 1000) - 3_600;

  it.each<[string, (payload: string) => [string, string | null]]>([
    ['without a signature', (payload) => [payload, null]],
    ['with an empty signature', (payload) => [payload, '']],
    [
      'with a forged signature',
      (payload) => [payload, signatureOf(payload, { secret: 'whsec_of_someone_else' })],
    ],
    ['with a stale signature', (payload) => [payload, signatureOf(payload, { timestamp: hourAgo() })]],
    ['with garbage for a signature', (payload) => [payload, 't=1,v1=zz']],
    ['altered by one byte', (payload) => [payload.replace('"100"', '"900"'), signatureOf(payload)]],
  ])('%s is a 400 invalid_signature, and nothing is written', async (_what, alter) => {
    const user = await aUser();
    const answer = await postWebhook(...alter(payloadFor(user.uid)));
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_signature']);
    expect(await user.record()).toBeUndefined();
  });

  it.each([
    '{"id":',
    '[]',
    '"text"',
    'null',
    '{"id":"evt_1"}',
    '{"id":"../x","type":"a","created":1,"data":{"object":{}}}',
  ])('signed, but the body %s is no event: 400 invalid_request', async (payload) => {
    const answer = await postWebhook(payload, signatureOf(payload));
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  it('larger than 1 MiB is a 413', async () => {
    const payload = JSON.stringify({ padding: 'x'.repeat(1_100_000) });
    const answer = await postWebhook(payload, signatureOf(payload));
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
  });
});

describe('a consume that cannot be', () => {
  it.each([
    ['no key', undefined, '{"feature":"demo"}', 'idempotency_key_required'],
    ['an empty key', '', '{"feature":"demo"}', 'idempotency_key_required'],
    ['a key with a slash', 'a/b', '{"feature":"demo"}', 'idempotency_key_required'],
    ['a key of 129 characters', 'k'.repeat(129), '{"feature":"demo"}', 'idempotency_key_required'],
    ['an unknown feature', 'key', '{"feature":"teleport"}', 'unknown_feature'],
    ['a feature that every object has', 'key', '{"feature":"constructor"}', 'unknown_feature'],
    ['no feature', 'key', '{}', 'invalid_request'],
    ['a cost in the body', 'key', '{"feature":"demo","cost":0}', 'invalid_request'],
    ['a feature that is no text', 'key', '{"feature":7}', 'invalid_request'],
    ['malformed JSON', 'key', '{"feature":', 'invalid_request'],
    ['a list', 'key', '["demo"]', 'invalid_request'],
  ])('%s is a 400, and nothing is written', async (_what, key, body, code) => {
    const user = await aUser();
    await deliver(packBought(user, 10));
    const before = await user.record();
    const answer = await user.consumeRaw(body, key === undefined ? {} : { 'idempotency-key': key });
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(await user.record()).toEqual(before);
    expect((await user.ledger()).size).toBe(1);
  });

  it('names the field that is not taken', async () => {
    const user = await aUser();
    const { body } = await user.consumeRaw('{"feature":"demo","amount":5}', { 'idempotency-key': 'key' });
    expect(body.detail).toContain('amount');
  });

  it('larger than 16 KiB is a 413', async () => {
    const user = await aUser();
    const body = JSON.stringify({ feature: 'x'.repeat(17_000) });
    const answer = await user.consumeRaw(body, { 'idempotency-key': 'key' });
    expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
  });
});
