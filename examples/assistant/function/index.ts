import { createBilling } from '@extension-billing/server/in-process';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { defineSecret } from 'firebase-functions/params';
import { onRequest } from 'firebase-functions/v2/https';
import catalog from '../billing.config.ts';
import { priceIn } from './cost.ts';
import { createHandler, type Handler } from './handler.ts';
import { MODELS } from './models.ts';
import { createUpstream } from './upstream.ts';

/** Below the function's timeout, so that a call that takes too long still settles. */
const CALL_MS = 240_000;
const TIMEOUT_SECONDS = 300;
const IDLE_MS = 60_000;

/**
 * Starts the assistant beside the billing function of the same project: it charges in its own process.
 *
 * @throws Error if there is no OPENAI_API_KEY, or if a model's feature has no rates
 */
export function start({ OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseURL } = process.env): Handler {
  if (!apiKey) throw new Error('Set OPENAI_API_KEY.');
  const app = initializeApp();
  const [firestore, auth] = [getFirestore(app), getAuth(app)];
  const priceOf = (feature: string) => priceIn(catalog.features, feature);
  for (const { feature } of Object.values(MODELS)) priceOf(feature);
  return createHandler({
    billing: createBilling({ firestore, auth, catalog, name: 'assistant' }),
    models: MODELS,
    priceOf,
    upstream: createUpstream({ baseURL, apiKey, idleMs: IDLE_MS }),
    callMs: CALL_MS,
    log: (line) => console.log(JSON.stringify({ severity: 'INFO', ...line })),
  });
}

/** Started at the first request: Firebase's tools load this file before the secret has a value. */
let handler: Handler | undefined;

export const assistant = onRequest(
  {
    ...{ region: 'us-central1', memory: '512MiB', concurrency: 80, maxInstances: 20 },
    ...{ timeoutSeconds: TIMEOUT_SECONDS, cors: false, invoker: 'public' },
    secrets: [defineSecret('OPENAI_API_KEY')],
  },
  (req, res) => {
    handler ??= start();
    return handler(req, res);
  },
);
