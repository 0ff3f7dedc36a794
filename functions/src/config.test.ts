import { describe, expect, it } from 'vitest';
import { DEPLOYED_ENVIRONMENT, LOCAL_ENVIRONMENT } from '../test/app/config.ts';
import { ConfigError, readConfig } from './config.ts';

function problemsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  it('is complete with keys and return addresses alone, the rest has defaults', () => {
    const config = readConfig(LOCAL_ENVIRONMENT);
    expect(config).toMatchObject({
      disabled: false,
      trialDays: null,
      automaticTax: false,
      allowPromoCodes: false,
      extensionIds: ['keggfklddlhbjeolakknnaliambbpajm'],
      webOrigins: [],
      providerApiBase: null,
      providerCallsPerSecond: 20,
    });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('names the service accounts that may call, and what their tokens are for', () => {
    const listed =
      ' Worker@p.iam.gserviceaccount.com=hold+consume, 1-compute@developer.gserviceaccount.com=read,';
    const env = { ...LOCAL_ENVIRONMENT, BILLING_SERVICE_ACCOUNTS: listed };
    const { serviceAccounts, serviceAudience } = readConfig({ ...env, GCLOUD_PROJECT: 'my-shop-1' });
    expect([...serviceAccounts]).toEqual([
      ['worker@p.iam.gserviceaccount.com', ['consume', 'hold']],
      ['1-compute@developer.gserviceaccount.com', ['read']],
    ]);
    expect(serviceAudience).toBe('https://us-central1-my-shop-1.cloudfunctions.net/api');
    const { serviceAudience: chosen } = readConfig({ ...env, BILLING_SERVICE_AUDIENCE: 'https://b.example' });
    expect(chosen).toBe('https://b.example');
    expect(readConfig(LOCAL_ENVIRONMENT)).toMatchObject({
      serviceAccounts: new Map(),
      serviceAudience: null,
    });
  });

  it('takes a region and sizes that Cloud Run has, and no fewer instances than are kept warm', () => {
    const sized = {
      ...{ BILLING_REGION: 'europe-west12', BILLING_MIN_INSTANCES: '1', BILLING_MAX_INSTANCES: '20' },
      BILLING_MEMORY_MIB: '1024',
    };
    const env = { ...LOCAL_ENVIRONMENT, ...sized, GCLOUD_PROJECT: 'my-shop-1' };
    expect(readConfig(env).serviceAudience).toBe('https://europe-west12-my-shop-1.cloudfunctions.net/api');
    const wrong = {
      ...{ BILLING_REGION: 'Belgium', BILLING_MIN_INSTANCES: '-1', BILLING_MAX_INSTANCES: '0' },
      BILLING_MEMORY_MIB: '513',
    };
    const found = problemsOf({ ...LOCAL_ENVIRONMENT, ...wrong }).map((problem) => problem.split(' ')[0]);
    expect(found.toSorted()).toEqual(Object.keys(wrong).toSorted());
    const few = { BILLING_MIN_INSTANCES: '5', BILLING_MAX_INSTANCES: '4' };
    expect(problemsOf({ ...LOCAL_ENVIRONMENT, ...few })).toEqual([
      'BILLING_MIN_INSTANCES must be at most BILLING_MAX_INSTANCES',
    ]);
  });

  it('names everything that is wrong at once, and how to fix it', () => {
    const problems = problemsOf({ BILLING_TRIAL_DAYS: 'a week', BILLING_AUTOMATIC_TAX: 'yes' });
    expect(problems).toHaveLength(7);
    for (const name of [
      'PAYMENT_SECRET_KEY',
      'PAYMENT_WEBHOOK_SECRET',
      'BILLING_SUCCESS_URL',
      'BILLING_CANCEL_URL',
      'BILLING_PORTAL_RETURN_URL',
      'BILLING_TRIAL_DAYS',
      'BILLING_AUTOMATIC_TAX',
    ]) {
      expect(problems.filter((problem) => problem.startsWith(`${name} must be`))).toHaveLength(1);
    }
    expect(problems.join()).toContain('.secret.local');
  });

  it('never repeats a secret in its complaint', () => {
    const problems = problemsOf({ ...LOCAL_ENVIRONMENT, PAYMENT_SECRET_KEY: 'pk_live_notasecretkey' });
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain('notasecretkey');
  });

  it.each([
    ['a relative return address', { BILLING_SUCCESS_URL: '/success' }],
    ['http on another machine', { BILLING_CANCEL_URL: 'http://example.com/cancel' }],
    ['a script as return address', { BILLING_SUCCESS_URL: 'javascript:alert(1)' }],
    ['a return address with a password', { BILLING_SUCCESS_URL: 'https://me:pw@example.com/' }],
    ['a negative trial', { BILLING_TRIAL_DAYS: '-1' }],
    ['a trial beyond what the provider allows', { BILLING_TRIAL_DAYS: '731' }],
    ['a service account without scopes', { BILLING_SERVICE_ACCOUNTS: 'w@p.iam.gserviceaccount.com' }],
    ['a scope that there is not', { BILLING_SERVICE_ACCOUNTS: 'w@p.iam.gserviceaccount.com=all' }],
    ['a scope too many', { BILLING_SERVICE_ACCOUNTS: 'w@p.iam.gserviceaccount.com=read+all' }],
    ['a person among the service accounts', { BILLING_SERVICE_ACCOUNTS: 'ada@example.com=read' }],
    [
      'a service account twice',
      { BILLING_SERVICE_ACCOUNTS: 'w@p.iam.gserviceaccount.com=read,w@p.iam.gserviceaccount.com=grant' },
    ],
    ['an audience of two', { BILLING_SERVICE_AUDIENCE: 'https://a.example https://b.example' }],
    ['an extension id that is none', { BILLING_EXTENSION_IDS: 'my-extension' }],
    ['a web app without https', { BILLING_WEB_ORIGINS: 'http://app.example' }],
    ['a web app by a page of it', { BILLING_WEB_ORIGINS: 'https://app.example/billing' }],
    ['every web app', { BILLING_WEB_ORIGINS: '*' }],
    ['two of Firefox in one', { BILLING_EXTENSION_IDS: 'a@my-shop.example@b' }],
    ['a publishable key for the secret one', { PAYMENT_SECRET_KEY: 'pk_test_1234567890' }],
    ['a simulator on another machine', { PAYMENT_API_BASE: 'http://example.com:4242' }],
  ])('refuses %s', (_what, wrong) => {
    const problems = problemsOf({ ...LOCAL_ENVIRONMENT, ...wrong });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(Object.keys(wrong)[0]);
  });

  it('takes https anywhere as return address', () => {
    const env = { ...LOCAL_ENVIRONMENT, BILLING_SUCCESS_URL: 'https://example.com/thanks?x=1' };
    expect(readConfig(env).successUrl).toBe('https://example.com/thanks?x=1');
  });

  it('points at the simulator in the emulator', () => {
    const env = { ...LOCAL_ENVIRONMENT, PAYMENT_API_BASE: 'http://127.0.0.1:4242/' };
    expect(readConfig(env).providerApiBase).toBe('http://127.0.0.1:4242');
  });

  it('refuses a simulator in a deployed function', () => {
    expect(problemsOf({ ...DEPLOYED_ENVIRONMENT, PAYMENT_API_BASE: 'http://127.0.0.1:4242' })).toEqual([
      expect.stringContaining('PAYMENT_API_BASE is for the emulator only'),
    ]);
    expect(readConfig(DEPLOYED_ENVIRONMENT).providerApiBase).toBeNull();
  });

  it.each(['PAYMENT_SECRET_KEY', 'PAYMENT_WEBHOOK_SECRET'] as const)(
    'refuses the simulator’s %s in a deployed function: everybody knows it',
    (name) => {
      expect(problemsOf({ ...DEPLOYED_ENVIRONMENT, [name]: LOCAL_ENVIRONMENT[name] })).toEqual([
        expect.stringContaining(`${name} is the provider simulator's`),
      ]);
    },
  );

  it('refuses a deployed function that would take the unsigned tokens of an auth emulator', () => {
    expect(problemsOf({ ...DEPLOYED_ENVIRONMENT, FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' })).toEqual([
      expect.stringContaining('FIREBASE_AUTH_EMULATOR_HOST is for the emulator only'),
    ]);
  });

  it.each(['sk_live_1234567890', 'rk_live_1234567890'])('refuses the live key %s in the emulator', (key) => {
    const problems = problemsOf({ ...LOCAL_ENVIRONMENT, PAYMENT_SECRET_KEY: key });
    expect(problems).toEqual([expect.stringContaining('PAYMENT_SECRET_KEY is a live key')]);
    expect(problems.join()).not.toContain('1234567890');
    expect(problemsOf({ ...DEPLOYED_ENVIRONMENT, PAYMENT_SECRET_KEY: key })).toEqual([]);
  });

  it('needs neither keys nor addresses while billing is disabled', () => {
    expect(readConfig({ BILLING_DISABLED: 'true' })).toMatchObject({ disabled: true, successUrl: '' });
  });
});
