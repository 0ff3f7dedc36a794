import { expect, it } from 'vitest';
import { problem } from '../src/http/answer.ts';
import { holdAnswer } from './app/hold-answer.ts';

const BASE = 'http://127.0.0.1:5055';
const answer = (status: number, type = 'application/json; charset=utf-8') => ({
  status,
  headers: new Headers({ 'content-type': type }),
});
const refused = (status: number) => answer(status, 'application/problem+json; charset=utf-8');
const hold = (...[path, meta, body]: [string, ReturnType<typeof answer>, object]) =>
  holdAnswer('POST', `${BASE}${path}`, meta, body);

it('an answer and a refusal that the document has are let through', () => {
  hold('/billing/portal', answer(200), { url: 'https://billing.example/p/1' });
  hold('/billing/portal', refused(409), problem('no_customer', 'Buy first.'));
  const balances = { balance: 0, allowance: 0, replayed: false };
  hold('/project/api/credits/consume', refused(402), problem('credits_exhausted', 'Top up.', balances));
});

it.each([
  ['a status that the route has not', '/billing/portal', refused(402), problem('credits_exhausted', '')],
  ['a code that the route has not', '/billing/portal', refused(409), problem('already_owned', '')],
  ['another media type', '/billing/portal', answer(409), problem('no_customer', '')],
  ['a field too many', '/billing/portal', answer(200), { url: 'https://x.example', id: 1 }],
  ['a field too few', '/credits/consume', refused(402), problem('credits_exhausted', '')],
  ['a balance below 0', '/credits/confirm', answer(200), { ok: true, balance: -1 }],
])('%s is refused by name', (_what, path, meta, body) => {
  expect(() => hold(path, meta, body)).toThrow(`POST ${path}`);
});

it('what the document does not have is left alone', () => {
  hold('/nowhere', refused(404), problem('not_found', ''));
  holdAnswer('DELETE', `${BASE}/billing/portal`, refused(405), problem('method_not_allowed', ''));
});
