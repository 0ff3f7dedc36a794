// node --conditions=extension-billing-source function/local.ts: the function on a port, beside `npm start`. Without a key
// of a model's provider in the environment it brings the stand-in upstream, too.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBilling } from '@extension-billing/server/in-process';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import catalog from '../billing.config.ts';
import { echo } from '../upstream/echo.ts';
import { startUpstream } from '../upstream/serve.ts';
import { assistantFrom } from './assistant.ts';
import { createHandler } from './handler.ts';

const PORT = Number(process.env.ASSISTANT_PORT ?? 5070);

// As `npm start` serves them, unless the environment says otherwise (`npm run suite` does).
process.env.GCLOUD_PROJECT ??= 'demo-extension-billing';
process.env.FIRESTORE_EMULATOR_HOST ??= '127.0.0.1:8080';
process.env.FIREBASE_AUTH_EMULATOR_HOST ??= '127.0.0.1:9099';

const hasKey = ['OPENAI', 'ANTHROPIC', 'GEMINI'].some((name) => process.env[`${name}_API_KEY`] !== undefined);
if (!hasKey && process.env.STAND_IN_URL === undefined) {
  const upstream = await startUpstream(({ body }) => ({ ...echo(body), everyMs: 40 }));
  process.env.STAND_IN_URL = upstream.url;
  console.log('No model has a key here: the stand-in upstream answers.');
}

const app = initializeApp({ projectId: process.env.GCLOUD_PROJECT });
const [firestore, auth] = [getFirestore(app), getAuth(app)];
const billing = createBilling({ firestore, auth, catalog, name: 'assistant' });
const server = createServer(createHandler(assistantFrom(process.env, billing)));
server.listen(PORT, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`The assistant listens at http://127.0.0.1:${port}/v1 now. Ctrl+C ends it.`);
});
