import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { connect, connectBooks } from './connect.ts';

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
  await expect(connect('my-shop-1', {})).rejects.toThrow('Set PAYMENT_SECRET_KEY');
});
