import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { ReserveRequest } from '@extension-billing/contract/api';
import { PLAN } from '@extension-billing/contract/test/catalog';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keptLog, serveApp } from '../../test/app/serve-app.ts';
import type { AppDeps } from '../deps.ts';
import { InvalidRequest } from './answer.ts';
import { jsonBody, parseBody, parseNoFields } from './body.ts';
import { errorHandler } from './error-handler.ts';
import { requestId } from './gates.ts';

const auth = {
  verifyIdToken: async () => ({ uid: 'user-1', exp: 32_503_680_000 }),
} as unknown as AppDeps['auth'];

async function checkout(body: string | Uint8Array<ArrayBuffer> | null, headers: Record<string, string> = {}) {
  const base = await serveApp({ auth });
  const response = await fetch(`${base}/billing/checkout`, {
    method: 'POST',
    headers: { authorization: 'Bearer some.id.token', 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { code: string; detail: string } };
}

describe('the body of a checkout', () => {
  it.each([
    ['malformed JSON', '{"lookup_key":', 'The body is not valid JSON'],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'The body is not valid JSON'],
    ['a JSON array', '[]', 'The body must be a JSON object'],
    ['a JSON string', `"${PLAN.monthly}"`, 'The body must be a JSON object'],
    ['null', 'null', 'The body must be a JSON object'],
    ['nothing', null, 'lookup_key: this field is missing'],
    ['no fields', '{}', 'lookup_key: this field is missing'],
    ['a number', '{"lookup_key":7}', 'lookup_key: must be'],
    ['an amount', `{"lookup_key":"${PLAN.monthly}","amount":1}`, 'amount: this field is not taken'],
    ['a price', `{"lookup_key":"${PLAN.monthly}","price":"price_1"}`, 'price: this field is not taken'],
    ['a quantity', `{"lookup_key":"${PLAN.monthly}","quantity":0}`, 'quantity: this field is not taken'],
    [
      'metadata',
      `{"lookup_key":"${PLAN.monthly}","metadata":{"credits":"9"}}`,
      'metadata: this field is not taken',
    ],
    ['a trial', `{"lookup_key":"${PLAN.monthly}","trial_days":365}`, 'trial_days: this field is not taken'],
    [
      'a return address',
      `{"lookup_key":"${PLAN.monthly}","success_url":"https://evil.example"}`,
      'success_url: this field is not taken',
    ],
    ['nothing but depth', '['.repeat(8_000) + ']'.repeat(8_000), 'must be a JSON object'],
    ['a uid', `{"lookup_key":"${PLAN.monthly}","uid":"other"}`, 'uid: this field is not taken'],
    ['a prototype', `{"lookup_key":"${PLAN.monthly}","__proto__":{"paid":true}}`, '__proto__'],
  ])('with %s is refused by name', async (_what, body, detail) => {
    const answer = await checkout(body);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('invalid_request');
    expect(answer.body.detail).toContain(detail);
  });

  it.each(['', 'premium', 'PREMIUM_MONTHLY', 'constructor', '__proto__', 'price_1', 'x'.repeat(200)])(
    'with the unknown lookup key %j sells nothing',
    async (lookupKey) => {
      const answer = await checkout(JSON.stringify({ lookup_key: lookupKey }));
      expect([answer.status, answer.body.code]).toEqual([400, 'unknown_lookup_key']);
    },
  );

  it('that is too long is refused, with and without an announced length', async () => {
    const long = JSON.stringify({ lookup_key: 'x'.repeat(17_000) });
    expect(await checkout(long)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    const base = await serveApp({ auth });
    const status = await new Promise((answered, failed) => {
      const post = request(`${base}/billing/checkout`, {
        method: 'POST',
        headers: { authorization: 'Bearer some.id.token', 'content-type': 'application/json' },
      });
      post.on('response', (response) => {
        answered(response.statusCode);
        response.resume();
        post.destroy();
      });
      post.on('error', failed);
      post.flushHeaders();
      for (let i = 0; i < 20; i += 1) post.write('x'.repeat(1_024));
    });
    expect(status).toBe(413);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'of the type %s is refused',
    async (type) => {
      const answer = await checkout(`{"lookup_key":"${PLAN.monthly}"}`, { 'content-type': type });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body.detail).toContain('Content-Type');
    },
  );

  it.each(['gzip', 'br', 'nonsense'])('that is encoded as %s is refused, not unpacked', async (encoding) => {
    const answer = await checkout(gzipSync(`{"lookup_key":"${PLAN.monthly}"}`), {
      'content-encoding': encoding,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(answer.body.detail).toContain('Content-Encoding');
  });
});

it('a body that trickles in is cut off in time, and its connection with it', async () => {
  const app = express();
  app.use(requestId(keptLog()), jsonBody({ limit: 1_000, withinMs: 50 }), (req, res) => {
    res.json(req.body);
  });
  app.use(errorHandler);
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
  });
  const post = request({
    port: (server.address() as AddressInfo).port,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
  });
  post.write('{"lookup_key":');
  const answer = await new Promise<IncomingMessage>((answered, failed) => {
    post.on('response', answered);
    post.on('error', failed);
  });
  const closed = new Promise((over) => post.on('close', over));
  const body = JSON.parse(Buffer.concat(await answer.toArray()).toString());
  expect([answer.statusCode, body.code]).toEqual([408, 'request_timeout']);
  await closed;
});

it.each([[[]], [['demo']], ['demo'], [7], [true], [null]])('%j is not taken for a body', (body) => {
  const refusal = new InvalidRequest('The body must be a JSON object.');
  expect(() => parseNoFields(body)).toThrow(refusal);
  expect(() => parseBody(ReserveRequest, body)).toThrow(refusal);
});

it('a body without fields is one where none are taken', () => {
  expect(() => parseNoFields({})).not.toThrow();
});
