import { expect, it, vi } from 'vitest';
import { connect } from './connect.ts';

vi.mock('firebase-admin/app', () => ({
  applicationDefault: () => ({ getAccessToken: async () => ({}) }),
  initializeApp: () => ({}),
}));
vi.mock('firebase-admin/auth', () => ({ getAuth: () => ({}) }));
vi.mock('firebase-admin/firestore', async (load) => ({
  ...(await load<object>()),
  getFirestore: () => ({ doc: () => ({}), getAll: async () => [] }),
}));

it('what is kept of a project with the test key is not gone on with under the live one', async () => {
  const storeWith = async (key: string) => {
    const { store } = await connect('my-shop-1', { PAYMENT_SECRET_KEY: key });
    return store;
  };
  const test = await storeWith('sk_test_12345678');
  expect(await storeWith('rk_test_of_another_key')).toBe(test);
  expect(await storeWith('sk_live_12345678')).not.toBe(test);
});
