import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { createApp } from '../../src/app.ts';
import type { AppDeps } from '../../src/deps.ts';
import { boundCalls } from '../../src/platform/patches.ts';
import { aConfig } from '../app/config.ts';
import { quietLog } from '../app/quiet-log.ts';
import { catalogOfNow } from './catalog.ts';
import { TRUSTED } from './http-service.ts';
import type { ModelStripe } from './model-stripe.ts';

type Parts = Pick<AppDeps, 'firestore' | 'auth' | 'stripe'>;

export interface ModelServers {
  readonly bases: readonly string[];
  readonly secret: string;
  close(): Promise<void>;
}

/**
 * Several servers of the service, each with clients of its own as if it were another instance, on the emulators
 * that the environment names. The provider that they ask is the model.
 *
 * @param change puts other parts in the place of a server's own
 */
export async function startServers(
  count: number,
  stripe: ModelStripe,
  change: (parts: Parts) => Parts = (parts) => parts,
): Promise<ModelServers> {
  const config = aConfig();
  const projectId = process.env.GCLOUD_PROJECT ?? 'demo-extension-billing';
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) {
    const firebase = initializeApp({ projectId }, `model-${crypto.randomUUID()}`);
    const app = createApp({
      ...change({
        firestore: boundCalls(getFirestore(firebase)),
        auth: getAuth(firebase),
        stripe: stripe.stripe,
      }),
      config,
      now: () => Date.now(),
      trusted: TRUSTED,
      catalog: () => catalogOfNow,
      catalogReady: async () => {},
      log: quietLog,
    });
    const server = createServer(app);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    servers.push(server);
  }
  return {
    bases: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    secret: config.webhookSecret,
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((closed) => server.close(closed));
      }
    },
  };
}

/** Signs in a user with this uid at the auth emulator, and makes it where there is none. */
export async function signInAs(uid: string): Promise<string> {
  const host = process.env.FIREBASE_AUTH_EMULATOR_HOST;
  const header = { alg: 'none', typ: 'JWT' };
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: 'model', sub: 'model', aud: AUDIENCE, uid, iat: now, exp: now + 3600 };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const response = await fetch(
    `http://${host}/identitytoolkit.googleapis.com/v1/accounts:signInWithCustomToken?key=emulated`,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: `${encode(header)}.${encode(claims)}.`, returnSecureToken: true }),
    },
  );
  const { idToken } = (await response.json()) as { idToken?: string };
  if (idToken === undefined) throw new Error(`the auth emulator answered ${response.status} for ${uid}`);
  return idToken;
}

const AUDIENCE = 'https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit';
