import type { ErrorCode } from '@extension-billing/contract/api';
import { beforeAll, expect, it } from 'vitest';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { type AuthFailureCode, authFailure } from '../../background/auth-failure.ts';
import { createOpenPage } from '../../background/open-page.ts';
import { refusalText } from './refusal-text.ts';

beforeAll(useEnglish);

/** A record, so that the compiler asks for a new code here too. */
const AUTH_CODES: Readonly<Record<AuthFailureCode, true>> = {
  invalid_credentials: true,
  invalid_email: true,
  email_in_use: true,
  weak_password: true,
  account_disabled: true,
  session_expired: true,
  too_many_attempts: true,
  network: true,
  cancelled: true,
  not_configured: true,
  wrong_account: true,
  guest_has_purchases: true,
  password_required: true,
  not_deleted: true,
  guest_unchecked: true,
  deletion_unconfirmed: true,
  storage_unavailable: true,
  unavailable: true,
};

it.each(Object.keys(AUTH_CODES) as AuthFailureCode[])('says %s as the worker does', (code) => {
  expect(refusalText({ code })).toBe(authFailure(code).message);
});

it.each<ErrorCode>([
  'already_subscribed',
  'already_owned',
  'no_customer',
  'unknown_lookup_key',
  'too_many_requests',
  'billing_disabled',
  'provider_unavailable',
  'unauthenticated',
  'temporarily_unavailable',
  'internal',
  'invalid_request',
])('says %s of a checkout as the worker does', async (code) => {
  const problem = { type: 'about:blank', title: '', status: 400, code, detail: 'For developers.' };
  const { checkout } = createOpenPage({
    api: { post: async () => ({ kind: 'problem', problem, retryAfterMs: null }) },
    uid: async () => 'ada',
    openTab: async () => {},
    onOpened: async () => {},
  });
  const refused = await checkout('premium_monthly');
  if (refused.ok) throw new Error('This checkout should have been refused.');
  expect(refusalText(refused)).toBe(refused.message);
});

it('says that another account signed in during a checkout as the worker does', async () => {
  const { checkout } = createOpenPage({
    api: { post: async () => ({ kind: 'account_changed' }) },
    uid: async () => 'ada',
    openTab: async () => {},
    onOpened: async () => {},
  });
  const refused = await checkout('premium_monthly');
  if (refused.ok) throw new Error('This checkout should have been refused.');
  expect(refusalText(refused)).toBe(refused.message);
});

it('has something to say about a code of another version', () => {
  expect(refusalText({ code: 'constructor' })).toMatch(/^Something went wrong/);
});
