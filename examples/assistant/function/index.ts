import { createBilling } from '@extension-billing/server/in-process';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { defineSecret } from 'firebase-functions/params';
import { onRequest } from 'firebase-functions/v2/https';
import catalog from '../billing.config.ts';
import { assistantFrom } from './assistant.ts';
import { createHandler, type Handler } from './handler.ts';

// The keys that your models need: one is enough. Take out those that you have none for.
const secrets = [
  defineSecret('OPENAI_API_KEY'),
  defineSecret('ANTHROPIC_API_KEY'),
  defineSecret('GEMINI_API_KEY'),
];

/** Made at the first request: Firebase's tools load this file, too, before any secret has a value. */
let handler: Handler | undefined;

function start(): Handler {
  const app = initializeApp();
  const [firestore, auth] = [getFirestore(app), getAuth(app)];
  const billing = createBilling({ firestore, auth, catalog, name: 'assistant' });
  return createHandler(assistantFrom(process.env, billing));
}

/** The assistant, beside the billing function in the same project: it charges in its own process. */
export const assistant = onRequest(
  {
    ...{ region: 'us-central1', memory: '512MiB', concurrency: 80, maxInstances: 20 },
    // Longer than a call may take (assistant.ts).
    timeoutSeconds: 300,
    ...{ secrets, cors: false, invoker: 'public' },
  },
  (req, res) => {
    handler ??= start();
    return handler(req, res);
  },
);
