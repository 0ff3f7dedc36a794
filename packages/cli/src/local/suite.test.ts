import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tools/test/temporary-folder.ts';
import { readPorts } from './ports.ts';
import {
  functionParameters,
  LOCAL_EXTENSION_ID,
  PROJECT_ID,
  ROOT,
  readSecrets,
  SIMULATOR_SECRETS,
  suiteVariables,
  usesSimulator,
} from './suite.ts';

const ports = readPorts({});
const ownKey = { PAYMENT_SECRET_KEY: 'sk_test_ofMyOwnAccount', PAYMENT_WEBHOOK_SECRET: 'whsec_mine' };

function secretsFile(text: string): string {
  const file = join(temporaryFolder(), '.secret.local');
  writeFileSync(file, text);
  return file;
}

test('without a secrets file the simulator’s own values are used', () => {
  const secrets = readSecrets('/nowhere/.secret.local');
  expect(secrets).toEqual(SIMULATOR_SECRETS);
  expect(usesSimulator(secrets)).toBe(true);
});

test('the secrets file is read with comments and quotes', () => {
  const file = secretsFile('# mine\nPAYMENT_SECRET_KEY="sk_test_abc"\nPAYMENT_WEBHOOK_SECRET=whsec_x\n');
  expect(readSecrets(file)).toEqual({
    PAYMENT_SECRET_KEY: 'sk_test_abc',
    PAYMENT_WEBHOOK_SECRET: 'whsec_x',
  });
});

test.each(['sk_live_abc', 'rk_live_abc'])('a live key is refused: %s', (key) => {
  expect(() => readSecrets(secretsFile(`PAYMENT_SECRET_KEY=${key}\n`))).toThrow(/is a live key/);
});

test('a command finds the addresses of every part', () => {
  expect(suiteVariables(ports, SIMULATOR_SECRETS)).toEqual({
    GCLOUD_PROJECT: 'demo-extension-billing',
    BILLING_BASE_URL: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
    BILLING_DIRECT_URL: 'http://127.0.0.1:5055',
    PROVIDER_BASE_URL: 'http://127.0.0.1:4242',
    PAYMENT_WEBHOOK_SECRET: SIMULATOR_SECRETS.PAYMENT_WEBHOOK_SECRET,
    FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080',
    FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099',
    RETURN_BASE_URL: 'http://127.0.0.1:5056',
    METADATA_SERVER_DETECTION: 'none',
  });
});

test('with a test key of one’s own, nothing points at the simulator', () => {
  expect(suiteVariables(ports, ownKey)).not.toHaveProperty('PROVIDER_BASE_URL');
  expect(functionParameters(ports, ownKey, {}).PAYMENT_API_BASE).toBe('');
});

test('the return pages get the extension to wake', () => {
  expect(functionParameters(ports, SIMULATOR_SECRETS, {}).BILLING_SUCCESS_URL).toBe(
    `http://127.0.0.1:5056/billing/success.html?extension=${LOCAL_EXTENSION_ID}`,
  );
});

test('a parameter set in the environment wins over its default', () => {
  const parameters = functionParameters(ports, SIMULATOR_SECRETS, {
    BILLING_DISABLED: 'true',
    BILLING_TRIAL_DAYS: '3',
  });
  expect(parameters).toMatchObject({
    BILLING_DISABLED: 'true',
    BILLING_TRIAL_DAYS: '3',
    BILLING_AUTOMATIC_TAX: 'false',
  });
});

test('a plain firebase emulators:start gives the function the same parameters', () => {
  const file = join(ROOT, 'functions', `.env.${PROJECT_ID}`);
  const { FIRESTORE_EMULATOR_HOST, ...parameters } = parseEnv(readFileSync(file, 'utf8'));
  expect(parameters).toEqual(functionParameters(ports, SIMULATOR_SECRETS, {}));
  expect(FIRESTORE_EMULATOR_HOST).toBe(suiteVariables(ports, SIMULATOR_SECRETS).FIRESTORE_EMULATOR_HOST);
});
