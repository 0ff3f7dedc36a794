// A process that ends itself with SIGKILL when every one of its handlers stands at its point.
// CRASH_CELLS: which handlers (CrashCell), as JSON. It prints their ports as JSON as soon as it listens, and tells its
// parent of each handler that stands.
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
import { BEFORE_COMMIT, UNDER_WAY, withCrashPoints } from './crash-points.ts';
import type { CrashCell } from './kill-at.ts';

const cells = JSON.parse(process.env.CRASH_CELLS ?? '[]') as readonly CrashCell[];
const isUnderWay = ({ at }: CrashCell): boolean => at.startsWith(UNDER_WAY);
const firebase = initializeApp({ projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing' });

let standing = 0;
/** All but those whose commit is under way stand: that moment does not wait for others. */
const othersStand = Promise.withResolvers<void>();

function stand(index: number): void {
  process.send?.(index);
  standing += 1;
  if (standing >= cells.filter((cell) => !isUnderWay(cell)).length) othersStand.resolve();
  if (standing < cells.length) return;
  // Some of these find the commit done and some do not; it has to be right either way.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * 4);
}

function partsOf(cell: CrashCell, index: number) {
  const reached = new Map<string, number>();
  const reach = async (point: string): Promise<void> => {
    const occurrence = (reached.get(point) ?? 0) + 1;
    reached.set(point, occurrence);
    const at = `${point}#${occurrence}`;
    if (isUnderWay(cell) && at === cell.at.replace(UNDER_WAY, BEFORE_COMMIT)) await othersStand.promise;
    if (at !== cell.at) return;
    stand(index);
    if (!isUnderWay(cell)) await new Promise(() => {});
  };
  const client = { webhooks: Stripe.webhooks, subscriptions: { retrieve: async () => cell.subscription } };
  return withCrashPoints(
    {
      firestore: getFirestore(firebase),
      auth: getAuth(firebase),
      stripe: async () => client as unknown as Stripe,
    },
    reach,
  );
}

async function serve(cell: CrashCell, index: number): Promise<number> {
  const app = createApp({
    ...partsOf(cell, index),
    config: aConfig(),
    now: () => Date.now(),
    catalog: () => catalogOfNow,
    catalogReady: async () => {},
    log: quietLog,
  });
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

process.on('disconnect', () => process.exit());
console.log(JSON.stringify(await Promise.all(cells.map(serve))));
