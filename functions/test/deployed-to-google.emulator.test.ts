import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseKey } from '@extension-billing/contract/service-key';
import { expect, it, onTestFinished } from 'vitest';
import { revokeKey } from '../../packages/cli/src/keys/keys.ts';
import { DEPLOYED_ENVIRONMENT } from './app/config.ts';
import { firestore } from './app/emulated-user.ts';
import { storeKey } from './app/service-key.ts';
import { newId, subscriptionEvent } from './factories/provider-events.ts';
import { idToken, startGoogle } from './fixtures/google.ts';
import { BUILT, serveBundle } from './fixtures/serve-bundle.ts';
import { signatureOf } from './fixtures/service.ts';

const PROJECT = process.env.GCLOUD_PROJECT ?? '';

/**
 * The built bundle as it runs in the cloud, without any emulator of the accounts: real signatures, a service account,
 * access tokens. Only the database is the suite's.
 */
async function deploy(settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'billing-google-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const google = await startGoogle(PROJECT, join(folder, 'service-account.json'));
  const served = await serveBundle(BUILT, {
    ...DEPLOYED_ENVIRONMENT,
    ...google.environment,
    FIRESTORE_EMULATOR_HOST: process.env.FIRESTORE_EMULATOR_HOST ?? '',
    METADATA_SERVER_DETECTION: 'none',
    ...settings,
  });
  expect(await served.isUp()).toBe(true);
  const balance = async (token: string, more: Readonly<Record<string, string>> = {}) => {
    const headers = { authorization: `Bearer ${token}`, ...more };
    return (await fetch(`${served.base}/credits/balance`, { headers })).status;
  };
  return { google, base: served.base, balance, output: served.output };
}

it('lets in who has a token that Google’s keys signed, and nobody else', async () => {
  const { google, balance } = await deploy();
  const uid = newId('user');
  expect(await balance(google.idTokenOf(uid))).toBe(200);
  expect(google.asked.map(({ host }) => host)).toEqual(['www.googleapis.com']);

  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  expect(await balance(idToken(PROJECT, uid, privateKey))).toBe(401);
  const [, claims] = google.idTokenOf(uid).split('.');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`;
  expect(await balance(unsigned)).toBe(401);
});

it('sets the claim with an access token of its service account', async () => {
  const { google, base } = await deploy();
  const uid = newId('user');
  const event = subscriptionEvent('created', { uid, subscription: newId('sub') });
  const payload = JSON.stringify({ object: 'event', ...event });
  const secret = DEPLOYED_ENVIRONMENT.PAYMENT_WEBHOOK_SECRET;
  const delivered = await fetch(`${base}/billing/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signatureOf(payload, { secret }) },
    body: payload,
  });
  expect(await delivered.json()).toEqual({ outcome: 'applied', uids: [uid] });

  const exchange = google.asked.find(({ path }) => path.endsWith('/token'));
  expect(new URLSearchParams(exchange?.body).get('grant_type')).toContain('jwt-bearer');
  const update = google.asked.find(({ path }) => path.endsWith('accounts:update'));
  expect(update).toMatchObject({
    host: 'identitytoolkit.googleapis.com',
    authorization: 'Bearer an-access-token',
  });
  expect(JSON.parse(update?.body ?? '{}')).toMatchObject({ localId: uid, customAttributes: '{"paid":true}' });
});

it('lets in a service account by Google’s keys and a backend by its own, until that is revoked', async () => {
  const email = 'worker@my-shop-1.iam.gserviceaccount.com';
  const { google, balance, output } = await deploy({ BILLING_SERVICE_ACCOUNTS: `${email}=read` });
  const acting = { 'billing-user': newId('user') };
  const audience = `https://us-central1-${PROJECT}.cloudfunctions.net/api`;
  const token = google.accountTokenOf(email, audience);
  expect(await balance(token, acting)).toBe(200);
  expect(google.asked.map(({ path }) => path)).toEqual(['/oauth2/v3/certs']);
  expect(await balance(google.accountTokenOf(email, `${audience}/`), acting)).toBe(401);
  expect(await balance(google.accountTokenOf(`x${email}`, audience), acting)).toBe(401);

  const key = await storeKey(firestore, { scopes: ['read'] });
  const id = parseKey(key)?.id ?? '';
  const stored = firestore.doc(`service_keys/${id}`);
  expect(await balance(key, acting)).toBe(200);
  await expect.poll(async () => (await stored.get()).get('lastUsedAt')).not.toBeNull();
  expect(await revokeKey({ firestore, now: Date.now, say: () => {} }, id)).toBe(0);
  await expect.poll(() => balance(key, acting), { timeout: 8_000, interval: 250 }).toBe(401);

  for (const secret of [token, token.split('.')[2], key, parseKey(key)?.secret, email]) {
    expect(output()).not.toContain(secret);
  }
  await expect.poll(output).toContain('service_key_refused');
});
