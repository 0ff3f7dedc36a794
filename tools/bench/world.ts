import { randomUUID } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import { firestore } from '../../functions/test/app/emulated-user.ts';
import { type FirestoreProxy, startFirestoreProxy } from '../../functions/test/fixtures/firestore-proxy.ts';
import { type Instance, startFunction, startHello } from './instances.ts';
import type { Options } from './options.ts';
import { send } from './send.ts';
import { type BenchUser, signUpUsers } from './users.ts';

/** An instance of the function, and users whose records nobody else writes: its memory of them is never stale. */
export interface Served extends Instance {
  readonly users: readonly BenchUser[];
}

/** What the rows are measured on. What a row does not ask for is not started. */
export interface World {
  readonly options: Options;
  readonly firestore: Firestore;
  readonly proxy: FirestoreProxy;
  /** The function straight on Firestore. */
  direct(): Promise<Served>;
  /** The same behind the proxy. */
  behindProxy(): Promise<Served>;
  hello(): Promise<Instance>;
  end(): Promise<void>;
}

export const USERS = 128;

export async function openWorld(options: Options): Promise<World> {
  const proxy = await startFirestoreProxy(process.env.FIRESTORE_EMULATOR_HOST ?? '');
  const started: Instance[] = [];
  const up = async (starting: Promise<Instance>): Promise<Instance> => {
    const instance = await starting;
    started.push(instance);
    await instance.listens;
    return instance;
  };
  const serve = async (over: Readonly<Record<string, string>>): Promise<Served> => {
    const instance = await up(startFunction(over));
    return { ...instance, users: await signUpUsers(firestore, USERS) };
  };
  return {
    options,
    firestore,
    proxy,
    direct: once(() => serve({})),
    behindProxy: once(() => serve({ FIRESTORE_EMULATOR_HOST: proxy.address })),
    hello: once(() => up(startHello())),
    async end() {
      await Promise.all(started.map((instance) => instance.end()));
      await proxy.close();
    },
  };
}

function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

export async function consume(url: string, user: BenchUser, key: string = randomUUID()): Promise<void> {
  await send(`${url}/credits/consume`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.idToken}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: '{"feature":"demo"}',
  });
}

export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}
