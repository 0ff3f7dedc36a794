import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PLAN } from '@extension-billing/contract/test/catalog';
import { controlsOf } from '@extension-billing/simulator/control';
import { initializeTestEnvironment } from '@firebase/rules-unit-testing';
import { afterEach, expect, it } from 'vitest';
import { readAddresses, SIMULATOR_SECRETS } from '../local/suite.ts';
import { connect } from '../stripe/connect.ts';
import { checkClaims, checkRules } from './check-suite.ts';

const suite = readAddresses(process.env);
const doctor = () => {
  const script = fileURLToPath(new URL('../billing.ts', import.meta.url));
  return spawnSync(process.execPath, [script, 'doctor'], { encoding: 'utf8', timeout: 30_000 });
};

afterEach(async () => {
  await controlsOf(suite.provider).reset();
});

it('finds a running suite in order, and fails when a price is gone', async () => {
  const healthy = doctor();
  expect(healthy.stdout).toContain('Everything is in order.');
  expect(healthy.status).toBe(0);

  const stripe = await connect({ key: SIMULATOR_SECRETS.PAYMENT_SECRET_KEY, base: suite.provider });
  await stripe.prices.update(`price_${PLAN.monthly}`, { active: false });
  const ill = doctor();
  expect(ill.stdout).toContain(`problem  price ${PLAN.monthly}`);
  expect(ill.status).toBe(1);
});

it('names rules that let a user write, and rules that let a user read nothing', async () => {
  const [host = '', port] = suite.firestoreEmulator.split(':');
  const rulesOf = (match: string) =>
    `rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { ${match} } }`;
  const checkedWith = async (project: string, match: string) => {
    const firestore = { host, port: Number(port), rules: rulesOf(match) };
    const environment = await initializeTestEnvironment({ projectId: project, firestore });
    await environment.cleanup();
    const findings = await checkRules({ ...suite, project });
    return findings.map(({ ok }) => ok);
  };
  expect(await checkedWith('demo-doctor-open', 'match /{all=**} { allow read, write: if true; }')).toEqual([
    true,
    false,
    false,
  ]);
  expect(await checkedWith('demo-doctor-shut', 'match /{all=**} { allow read: if false; }')).toEqual([
    false,
    true,
    true,
  ]);
  expect(
    (await checkRules(suite)).every(({ ok }) => ok),
    'the suite’s own rules are as before',
  ).toBe(true);
});

it('names claims that cannot be written', async () => {
  const found = await checkClaims({ ...suite, authEmulator: '127.0.0.1:9' });
  expect(found.ok).toBe(false);
});
