import { randomUUID } from 'node:crypto';
import { Firestore } from 'firebase-admin/firestore';
import { firestore } from '../functions/test/app/emulated-user.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../functions/test/fixtures/firestore-proxy.ts';
import { type Instance, startFunction, startHello, untilAnswers } from './instances.ts';
import { send } from './send.ts';
import { asUid, type BenchUser, giveCredits, signUpUsers } from './users.ts';

/** What the rows are measured on: everything is up at once, so that what is compared runs side by side. */
export interface World {
  readonly firestore: Firestore;
  readonly proxy: FirestoreProxy;
  /** The function straight on Firestore, and the same behind the proxy. */
  readonly direct: Instance;
  readonly behindProxy: Instance;
  readonly hello: Instance;
  readonly users: readonly BenchUser[];
  end(): Promise<void>;
}

const USERS = 128;

export async function openWorld(): Promise<World> {
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const [direct, behindProxy, hello] = await Promise.all([
    startFunction(),
    startFunction({ FIRESTORE_EMULATOR_HOST: proxy.address }),
    startHello(),
  ]);
  await Promise.all([direct, behindProxy, hello].map((instance) => untilAnswers(instance)));
  const users = await signUpUsers(firestore, USERS);
  // The floor spends from users of its own: written by both, the service's memory would be stale half the time.
  await Promise.all(users.map((_, n) => giveCredits(firestore, asUid(`floor-${n}`))));
  // Every token has been checked and every record seen once, as in an instance that has been running.
  for (const { url } of [direct, behindProxy]) {
    for (const user of users) await consume(url, user);
  }
  return {
    firestore,
    proxy,
    direct,
    behindProxy,
    hello,
    users,
    async end() {
      await Promise.all([direct.end(), behindProxy.end(), hello.end()]);
      await proxy.close();
    },
  };
}

/** A client of its own through the proxy: as another instance has, with a memory of its own. */
export function clientThrough(proxy: FirestoreProxy): Firestore {
  const before = process.env.FIRESTORE_EMULATOR_HOST;
  // The client takes the emulator's address from the environment over any setting.
  process.env.FIRESTORE_EMULATOR_HOST = proxy.address;
  const client = new Firestore({ projectId: process.env.GCLOUD_PROJECT ?? 'demo-extension-billing' });
  process.env.FIRESTORE_EMULATOR_HOST = before;
  return client;
}

export async function consume(url: string, user: BenchUser): Promise<void> {
  await send(`${url}/credits/consume`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: '{"feature":"demo"}',
  });
}

export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
