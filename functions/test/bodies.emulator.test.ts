import { gzipSync } from 'node:zlib';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { describe, expect, it } from 'vitest';
import { firestore, signUp } from './app/emulated-user.ts';
import { post, servers } from './app/suite.ts';

/** What each server would answer by itself, with a page of its own, if it got to parse the body first. */
describe.each(Object.entries(servers))('bodies at the %s', (_name, base) => {
  it.each([
    ['malformed JSON', 400, 'invalid_request', '{"lookup_key":', {}],
    [
      'an unknown charset',
      400,
      'invalid_request',
      '{}',
      { 'content-type': 'application/json; charset=x-none' },
    ],
    ['a form', 400, 'invalid_request', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a compressed body', 400, 'invalid_request', gzipSync('{}'), { 'content-encoding': 'gzip' }],
    ['a body that is not what it says', 400, 'invalid_request', 'plain', { 'content-encoding': 'gzip' }],
    ['an unknown encoding', 400, 'invalid_request', '{}', { 'content-encoding': 'nonsense' }],
    ['an oversized body', 413, 'payload_too_large', `{"lookup_key":"${'x'.repeat(17_000)}"}`, {}],
    ['a price', 400, 'invalid_request', `{"lookup_key":"${PLAN.monthly}","price":"price_1"}`, {}],
    ['an amount', 400, 'invalid_request', `{"lookup_key":"${PLAN.monthly}","amount":1}`, {}],
    ['an unknown lookup key', 400, 'unknown_lookup_key', '{"lookup_key":"premium_forever"}', {}],
  ])('%s is a %i %s, and nothing is written', async (_what, status, code, body, headers) => {
    const { uid, idToken } = await signUp();
    const answer = await post(`${base}/billing/checkout`, body, {
      authorization: `Bearer ${idToken}`,
      ...(headers as Record<string, string>),
    });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    for (const path of [`customers/${uid}`, `billing_facts/${uid}`]) {
      expect((await firestore.doc(path).get()).exists).toBe(false);
    }
  });

  it('answers are for nobody to keep', async () => {
    const { headers } = await fetch(`${base}/nowhere`);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('another origin reads nothing, as in production', async () => {
    const { headers } = await fetch(`${base}/nowhere`, { headers: { origin: 'https://example.com' } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
