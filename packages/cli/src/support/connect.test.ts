import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { Refusal } from '../local/refusal.ts';
import { connect, connectBooks, rateOf } from './connect.ts';

afterEach(() => vi.unstubAllEnvs());

/** A machine that nobody has signed in on. */
function withoutCredentials(): void {
  const home = mkdtempSync(join(tmpdir(), 'nobody-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  for (const name of ['HOME', 'APPDATA', 'CLOUDSDK_CONFIG']) vi.stubEnv(name, home);
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', undefined);
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none');
}

it('a real project needs credentials, and what is missing is said before anything is asked', async () => {
  withoutCredentials();
  await expect(connectBooks('my-shop-1', {})).rejects.toThrow('gcloud auth application-default login');
  const PAYMENT_SECRET_KEY = 'sk_test_12345678';
  await expect(connect('my-shop-1', { PAYMENT_SECRET_KEY })).rejects.toThrow('to read my-shop-1');
});

it('what asks the provider too needs its key', async () => {
  await expect(connect('my-shop-1', {})).rejects.toThrow('read -rs PAYMENT_SECRET_KEY');
});

it('the provider is asked at the rate of the deployment, and a wrong one is said', () => {
  const root = mkdtempSync(join(tmpdir(), 'shop-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'functions'));
  writeFileSync(join(root, 'functions/.env.my-shop-1'), 'BILLING_PROVIDER_CALLS_PER_SECOND=5');
  expect(rateOf(root, 'my-shop-1', {})).toBe(5);
  expect(rateOf(root, 'my-shop-2', {})).toBe(20);
  expect(rateOf(root, 'my-shop-1', { BILLING_PROVIDER_CALLS_PER_SECOND: '2' })).toBe(2);
  for (const wrong of ['0', '-1', '2.5', 'many', '1001'])
    expect(() => rateOf(root, 'my-shop-1', { BILLING_PROVIDER_CALLS_PER_SECOND: wrong })).toThrow(Refusal);
});
