import { expect, it } from 'vitest';
import { SIMULATOR_SECRETS } from '../local/suite.ts';
import { chooseProvider, redact } from './connect.ts';

const SIMULATOR_KEY = SIMULATOR_SECRETS.PAYMENT_SECRET_KEY;
const OWN_KEY = 'sk_test_ownOwnOwn1234';

it('leads the simulator’s key to the simulator', () => {
  expect(chooseProvider({}, SIMULATOR_KEY).base).toBe('http://127.0.0.1:4242');
  expect(chooseProvider({ PAYMENT_API_BASE: 'http://127.0.0.1:5' }, SIMULATOR_KEY).base).toBe(
    'http://127.0.0.1:5',
  );
});

it('leads any other key to Stripe, whatever address is set', () => {
  const choice = chooseProvider({ PAYMENT_API_BASE: 'http://127.0.0.1:5' }, OWN_KEY);
  expect(choice).toEqual({ key: OWN_KEY, base: null });
});

it('takes the environment’s key before the stored one', () => {
  expect(chooseProvider({ PAYMENT_SECRET_KEY: OWN_KEY }, SIMULATOR_KEY).key).toBe(OWN_KEY);
});

it('refuses live keys and simulators elsewhere', () => {
  expect(() => chooseProvider({ PAYMENT_SECRET_KEY: 'sk_live_1234567890' }, SIMULATOR_KEY)).toThrow(
    'test key',
  );
  expect(() => chooseProvider({ PAYMENT_API_BASE: 'http://192.0.2.1' }, SIMULATOR_KEY)).toThrow(
    'this machine',
  );
});

it('takes a live key only where live is asked for, and only from the environment', () => {
  const live = 'sk_live_ownOwnOwn1234';
  expect(chooseProvider({ PAYMENT_SECRET_KEY: live }, SIMULATOR_KEY, true)).toEqual({
    key: live,
    base: null,
  });
  for (const [environment, stored] of [
    [{}, live],
    [{ PAYMENT_SECRET_KEY: OWN_KEY }, live],
    [{ PAYMENT_SECRET_KEY: SIMULATOR_KEY, PAYMENT_API_BASE: 'http://127.0.0.1:5' }, SIMULATOR_KEY],
  ] as const) {
    expect(() => chooseProvider(environment, stored, true)).toThrow('--live takes a live key');
  }
});

it('shows only the ends of a secret', () => {
  expect(redact('whsec_0123456789abcdef')).toBe('whsec_…cdef');
  expect(redact(OWN_KEY)).toBe('sk_test_…1234');
});
