// Becomes warm-up.cjs. Cloud Build runs it once after the installation (gcp-build), with the Node that will serve:
// it plays the first requests of an instance and writes down what V8 compiled for them.
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Catalog } from '@extension-billing/contract/catalog';
import { gateOf } from '@extension-billing/contract/features';
import embedded from '../../billing.config.ts';
import { cacheOf, loadService, type Service } from './load-service.ts';
import { answerAsAuth, answerAsFirestore, listen, USER } from './stand-ins.ts';

const catalog: Catalog = embedded;
const PROJECT = 'demo-warm-up';
/** A feature that a new account may ask for, whatever the catalogue calls it. */
const FEATURE = Object.keys(catalog.features).find(
  (feature) => gateOf(catalog, feature) === 'metered' && catalog.features[feature]?.needs === undefined,
);
/** What it is asked for: a feature without a cost of its own can only be held. */
const { cost, hold } = catalog.features[FEATURE ?? ''] ?? {};
const SPEND = cost === undefined && hold !== undefined ? 'reserve' : 'consume';

function settings(auth: number, firestore: number): Record<string, string> {
  const page = 'http://127.0.0.1/';
  return {
    FUNCTIONS_EMULATOR: 'true',
    GCLOUD_PROJECT: PROJECT,
    FIREBASE_CONFIG: JSON.stringify({ projectId: PROJECT }),
    FIREBASE_AUTH_EMULATOR_HOST: `127.0.0.1:${auth}`,
    FIRESTORE_EMULATOR_HOST: `127.0.0.1:${firestore}`,
    METADATA_SERVER_DETECTION: 'none',
    PAYMENT_API_BASE: '',
    PAYMENT_SECRET_KEY: 'sk_test_warmup00000000',
    PAYMENT_WEBHOOK_SECRET: 'whsec_warmup00000000',
    BILLING_DISABLED: 'false',
    BILLING_SUCCESS_URL: page,
    BILLING_CANCEL_URL: page,
    BILLING_PORTAL_RETURN_URL: page,
  };
}

async function main(): Promise<void> {
  const auth = await listen(answerAsAuth());
  const firestore = await listen(answerAsFirestore());
  Object.assign(process.env, settings(auth, firestore));
  const { service, scripts } = loadService(__dirname);
  const base = `http://127.0.0.1:${await listen(serve(service))}`;
  const statuses = [
    await ask(`${base}/credits/balance`),
    await ask(`${base}/billing/webhook`, { 'stripe-signature': 't=1,v1=00' }, '{}'),
    await ask(
      `${base}/credits/${SPEND}`,
      { ...user(), 'idempotency-key': 'warm-up' },
      JSON.stringify({ feature: FEATURE ?? 'none' }),
    ),
    await ask(`${base}/credits/balance`, user()),
  ];
  // The catalogue decides whether a new account's first spend is free or refused. Free credits are read again after
  // they were granted, and the stand-in stores nothing: the spend fails with 500, after all of its code has run.
  const consumed = FEATURE === undefined ? '400' : catalog.free === null ? '(?:200|402)' : '(?:200|402|500)';
  if (!new RegExp(`^401,400,${consumed},200$`).test(statuses.join()))
    throw new Error(`the first requests got ${statuses.join()}`);
  for (const [file, script] of scripts) writeFileSync(cacheOf(file), script.createCachedData());
}

function serve({ api }: Service): Server {
  return createServer((req, res) => {
    void api(req as Parameters<typeof api>[0], res as unknown as Parameters<typeof api>[1]);
  });
}

async function ask(url: string, headers: Record<string, string> = {}, body?: string): Promise<number> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: body ?? null,
  });
  await response.text();
  return response.status;
}

/** An unsigned ID token, as the auth emulator gives them out. */
function user(): Record<string, string> {
  const now = Math.floor(Date.now() / 1000);
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: `https://securetoken.google.com/${PROJECT}`,
    aud: PROJECT,
    sub: USER,
    user_id: USER,
    auth_time: now,
    iat: now,
    exp: now + 600,
  };
  return { authorization: `Bearer ${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.` };
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    // The service runs without the cache too, only later: a build must not fail for it.
    console.warn('No code cache was made; the function will start more slowly.', error);
    process.exit(process.argv.includes('--required') ? 1 : 0);
  },
);
