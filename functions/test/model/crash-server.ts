// A server of its own process that ends itself with SIGKILL at one point of a handler.
// CRASH_AT: point and occurrence ("after commit#1"). CRASH_ANSWERS: what the provider answers to a GET, as JSON.
// It prints its port as soon as it listens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { Stripe } from 'stripe';
import { createApp } from '../../src/app.ts';
import { aConfig } from '../app/config.ts';
import { quietLog } from '../app/quiet-log.ts';
import { catalogOfNow } from './catalog.ts';
import { UNDER_WAY, withCrashPoints } from './crash-points.ts';

const crashAt = process.env.CRASH_AT;
const subscription: unknown = JSON.parse(process.env.CRASH_ANSWERS ?? 'null');
const reached = new Map<string, number>();

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function reach(point: string): Promise<void> {
  const occurrence = (reached.get(point) ?? 0) + 1;
  reached.set(point, occurrence);
  if (`${point}#${occurrence}` !== crashAt) return;
  if (point === UNDER_WAY) {
    // Some of these find the commit done and some do not; it has to be right either way.
    setTimeout(end, Math.random() * 4);
    return;
  }
  end();
  await new Promise(() => {});
}

const firebase = initializeApp({ projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing' });
const client = { webhooks: Stripe.webhooks, subscriptions: { retrieve: async () => subscription } };
const parts = withCrashPoints(
  {
    firestore: getFirestore(firebase),
    auth: getAuth(firebase),
    stripe: async () => client as unknown as Stripe,
  },
  reach,
);
const app = createApp({
  ...parts,
  config: aConfig(),
  now: () => Date.now(),
  catalog: () => catalogOfNow,
  catalogReady: async () => {},
  log: quietLog,
});
const server = createServer(app).listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit());
