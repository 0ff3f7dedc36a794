import { testCatalog } from '@extension-billing/contract/test/catalog';
import { afterEach, expect, it, vi } from 'vitest';
import { someDeps } from '../../../../functions/test/app/serve-app.ts';
import { BillingError, createBilling, type InProcessOptions } from './in-process.ts';

afterEach(() => vi.unstubAllGlobals());

const open = (more: Partial<InProcessOptions> = {}) => {
  const { firestore, auth } = someDeps();
  return () => createBilling({ firestore, auth: auth as never, catalog: testCatalog, name: 'mine', ...more });
};

it.each(['', 'two words', 'x'.repeat(61)])('refuses a name that no ledger entry can show: %j', (name) => {
  expect(open({ name })).toThrow(BillingError);
  expect(open({ name })).toThrow('"name"');
});

it('says which Node it needs, rather than to fail in the middle of a request', () => {
  expect(open()).not.toThrow();
  vi.stubGlobal('process', { ...process, versions: { ...process.versions, node: '20.19.5' } });
  expect(open()).toThrow('Node 22');
});

it('says that a token could not be checked, which is no word about the token', async () => {
  const verifyIdToken = () =>
    Promise.reject(Object.assign(new Error('no network'), { code: 'auth/internal-error' }));
  const { verifyUser } = open({ auth: { verifyIdToken } as never })();
  await expect(verifyUser('token')).rejects.toMatchObject({ name: 'BillingError', code: 'unreachable' });
});
