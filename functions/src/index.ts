import type { Express } from 'express';
import { defineBoolean, defineInt, defineSecret, defineString } from 'firebase-functions/params';
import { onRequest } from 'firebase-functions/v2/https';
import { onSchedule } from 'firebase-functions/v2/scheduler';
import embedded from '../../billing.config.ts';
import { DEFAULT_REGION, readConfig } from './config.ts';
import type { AppDeps } from './deps.ts';
import { log } from './log.ts';
import {
  boundRequests,
  gracefulShutdown,
  keepBodyRaw,
  runWithoutDomains,
  serveDirectly,
} from './platform/patches.ts';

// What `firebase deploy` asks for and binds; readConfig reads the same names and checks the values.
const secrets = [defineSecret('PAYMENT_SECRET_KEY'), defineSecret('PAYMENT_WEBHOOK_SECRET')];
defineString('BILLING_SUCCESS_URL', { description: 'https address of the page after a checkout' });
defineString('BILLING_CANCEL_URL', { description: 'https address of the page after a cancelled checkout' });
defineString('BILLING_PORTAL_RETURN_URL', { description: 'https address that the portal leads back to' });
defineString('BILLING_EXTENSION_IDS', { default: '', description: 'ids of your extension, with commas' });
defineString('BILLING_WEB_ORIGINS', { default: '', description: 'https origins of web apps, with commas' });
defineString('BILLING_TRIAL_DAYS', { default: '', description: 'empty: as the catalogue says' });
defineBoolean('BILLING_AUTOMATIC_TAX', { default: false });
defineBoolean('BILLING_ALLOW_PROMO_CODES', { default: false });
defineBoolean('BILLING_DISABLED', { default: false });
defineBoolean('BILLING_SHARED_ACCOUNT', { default: false });
defineString('BILLING_FORMER_SECRET_KEYS', { default: '', description: 'replaced keys, with commas' });
// Firebase's tools put these into the deployment; what each is good for: docs/going-live.md.
const region = defineString('BILLING_REGION', { default: DEFAULT_REGION });
const minInstances = defineInt('BILLING_MIN_INSTANCES', { default: 0 });
const maxInstances = defineInt('BILLING_MAX_INSTANCES', { default: 100 });
const memory = defineInt('BILLING_MEMORY_MIB', { default: 512 });
const accounts = 'worker@project.iam.gserviceaccount.com=consume+hold, with commas';
defineInt('BILLING_PROVIDER_CALLS_PER_SECOND', { default: 20, description: 'of the comparison, at most' });
defineString('BILLING_SERVICE_ACCOUNTS', { default: '', description: accounts });
defineString('BILLING_SERVICE_AUDIENCE', { default: '', description: 'empty: the address of this function' });

/**
 * Firebase's tools also load this file only to learn what it exports, before any setting has a value. In a
 * process that serves, a wrong setting ends it here: a deployment with one fails, rather than each request.
 */
const config = process.env.FUNCTIONS_CONTROL_API === 'true' ? null : readConfig(process.env);
if (config !== null) {
  keepBodyRaw();
  runWithoutDomains();
  boundRequests();
}
// The emulator ends its processes by itself.
if (config !== null && process.env.FUNCTIONS_EMULATOR !== 'true') gracefulShutdown(log);

/** The app, made at the first request: loading the SDKs costs more start-up time than all the rest. */
let app: Promise<Express> | undefined;

/** The billing service: one HTTPS function, its routes in app.ts. */
export const api = onRequest(
  {
    region,
    concurrency: 80,
    minInstances,
    // What a flood can cost at most: docs/threat-model.md.
    maxInstances,
    memory,
    timeoutSeconds: 60,
    secrets,
    cors: false,
    invoker: 'public',
  },
  async (req, res) => {
    app ??= startApp();
    const own = await app;
    serveDirectly(req, res, own);
    own(req, res);
  },
);

/** What every scheduled job has: half an hour, and as much memory as a request's instance by default. */
const asJob = { region, memory: '512MiB', timeoutSeconds: 1800, secrets } as const;

/** Each hour a piece of the comparison with the provider: repairs what differs, and says so in one line of the log. */
export const reconcileDaily = onSchedule({ ...asJob, schedule: 'every 1 hours' }, async () => {
  const { checkDaily } = await import('./reconcile/daily.ts');
  const { pacedStripe } = await import('./reconcile/pace.ts');
  const deps = await depsOfJob();
  await deps.catalogReady();
  await checkDaily({ ...deps, stripe: pacedStripe(deps.config) });
});

/** Every hour, with work once a day: adds up the days that are over, for `npx billing report`. */
export const summarizeDays = onSchedule(
  { ...asJob, schedule: '20 * * * *', timeZone: 'Etc/UTC' },
  async () => {
    const { summarizeDays: summarize } = await import('./report/summarize.ts');
    const deps = await depsOfJob();
    await deps.catalogReady();
    await summarize(deps);
  },
);

/** Nobody waits for a scheduled job, so its calls to the database may take their time. */
async function depsOfJob(): Promise<AppDeps> {
  const { connectDeps } = await import('./deps.ts');
  return connectDeps(config ?? readConfig(process.env), embedded);
}

async function startApp(): Promise<Express> {
  const { connectDeps } = await import('./deps.ts');
  const { boundCalls } = await import('./platform/patches.ts');
  const { createApp } = await import('./app.ts');
  return createApp(connectDeps(config ?? readConfig(process.env), embedded, boundCalls));
}
