import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DEPLOYED_ENVIRONMENT } from './app/config.ts';
import { newId, subscriptionEvent } from './factories/provider-events.ts';
import { idToken, startGoogle } from './fixtures/google.ts';
import { BUILT, serveBundle } from './fixtures/serve-bundle.ts';
import { signatureOf } from './fixtures/service.ts';

const PROJECT = process.env.GCLOUD_PROJECT ?? '';

/**
 * The built bundle as it runs in the cloud, without any emulator of the accounts: real signatures, a service account,
 * access tokens. Only the database is the suite's.
 */
async function deploy() {
  const folder = mkdtempSync(join(tmpdir(), 'billing-google-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const google = await startGoogle(PROJECT, join(folder, 'service-account.json'));
  const served = await serveBundle(BUILT, {
    ...DEPLOYED_ENVIRONMENT,
    ...google.environment,
    FIRESTORE_EMULATOR_HOST: process.env.FIRESTORE_EMULATOR_HOST ?? '',
    METADATA_SERVER_DETECTION: 'none',
  });
  expect(await served.isUp()).toBe(true);
  const balance = async (token: string) =>
    (await fetch(`${served.base}/credits/balance`, { headers: { authorization: `Bearer ${token}` } })).status;
  return { google, base: served.base, balance };
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
