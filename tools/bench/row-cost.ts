import { randomUUID } from 'node:crypto';
import { type FaultProxy, startFaultProxy } from '../../e2e/fault-proxy.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import type { FirestoreProxy, WatchedCall } from '../../functions/test/fixtures/firestore-proxy.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import type { Billing, Hold } from '../../packages/server/src/billing.ts';
import { messagesAt, messagesIn } from '../indexes/wire.ts';
import { type Instance, startFunction } from './instances.ts';
import type { Row } from './report.ts';
import { httpTo } from './row-backend.ts';
import {
  type BenchUser,
  consume,
  deliver,
  giveCredits,
  planBegins,
  planRenews,
  send,
  signUpUsers,
  type World,
} from './world.ts';

interface Case {
  readonly what: string;
  readonly work: () => Promise<unknown>;
  /** At most so many calls to Firestore, or to the provider. */
  readonly aim?: { readonly of: 'calls' | 'providerCalls'; readonly most: number };
}

/** (h) What the service asks of Firestore and of the provider, counted on the wire of an instance of its own. */
export async function benchCost(world: World): Promise<readonly Row[]> {
  const provider = await startFaultProxy(process.env.PROVIDER_BASE_URL ?? '');
  const instance = await startFunction({
    FIRESTORE_EMULATOR_HOST: world.proxy.address,
    PAYMENT_API_BASE: provider.url,
  });
  try {
    await instance.listens;
    const rows: Row[] = [];
    for (const one of await casesOn(world, instance)) rows.push(await countCase(world, provider, one));
    return rows;
  } finally {
    await instance.end();
    await provider.close();
  }
}

async function countCase({ proxy }: World, provider: FaultProxy, { what, work, aim }: Case): Promise<Row> {
  const before = provider.requests.length;
  const { calls, reads, writes, deletes } = await costOf(proxy, work);
  const asked = provider.requests.slice(before).map(({ path }) => path.replace(/\?.*/, ''));
  const figures = {
    calls: calls.length,
    providerCalls: asked.length,
    reads,
    writes,
    deletes,
    ofFirestore: calls,
    asked,
  };
  return {
    row: 'h',
    what,
    result: `Firestore: ${calls.length} calls, ${reads} reads, ${writes} writes; provider: ${asked.length} calls`,
    aim:
      aim === undefined
        ? ''
        : `≤ ${aim.most} ${aim.of === 'calls' ? 'calls to Firestore' : 'calls to the provider'}`,
    met: aim === undefined ? null : figures[aim.of] <= aim.most,
    figures,
  };
}

async function casesOn({ firestore }: World, instance: Instance): Promise<readonly Case[]> {
  const { url } = instance;
  const [spender, charged, poor, buyer, subscriber] = await signUpUsers(firestore, 5);
  if (!spender || !charged || !poor || !buyer || !subscriber) throw new Error('nobody was signed up');
  await giveCredits(firestore, asUid(poor.uid), 0);
  // The buyers' records come from the service alone, as those of users do.
  for (const { uid } of [buyer, subscriber]) await firestore.doc(`customers/${uid}`).delete();
  const key = randomUUID();
  const uid = `cost-${randomUUID()}`;
  const begins = planBegins(uid);
  const checkout = (user: BenchUser, lookupKey: string) => () =>
    send(`${url}/billing/checkout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.idToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ lookup_key: lookupKey }),
    });
  const balance = () =>
    send(`${url}/credits/balance`, { headers: { authorization: `Bearer ${spender.idToken}` } });
  const backend = await httpTo(instance, { firestore });
  // Its key is known here, and the user.
  await (await holdFor(backend, charged)).release();
  let held: Hold | null = null;
  return [
    {
      what: 'consume, of a user not seen lately',
      work: () => consume(url, spender, key),
      aim: { of: 'calls', most: 2 },
    },
    {
      what: 'consume, of a user seen lately',
      work: () => consume(url, spender),
      aim: { of: 'calls', most: 1 },
    },
    { what: 'consume, sent again with its key', work: () => consume(url, spender, key) },
    { what: 'consume, refused', work: () => consume(url, poor).catch(expectStatus(402)) },
    {
      what: '50 consumes at once on one user',
      work: () => Promise.all(Array.from({ length: 50 }, () => consume(url, spender))),
    },
    { what: 'balance', work: balance },
    {
      what: "a backend's hold, of a user seen lately",
      work: async () => {
        held = await holdFor(backend, charged);
      },
      aim: { of: 'calls', most: 1 },
    },
    {
      what: "a backend's settle",
      work: async () => {
        const settled = await held?.settle({ amount: 1 });
        if (settled?.ok !== true) throw new Error('nothing was settled');
      },
      aim: { of: 'calls', most: 1 },
    },
    { what: "webhook, a user's first event", work: () => deliver(url, begins) },
    {
      what: 'webhook, a renewal',
      work: () => deliver(url, planRenews(uid, 1)),
      aim: { of: 'calls', most: 2 },
    },
    { what: 'webhook, delivered again', work: () => deliver(url, begins).catch(expectText('"duplicate"')) },
    { what: 'checkout, price and customer unknown', work: checkout(buyer, sold.smallPack.lookupKey) },
    {
      what: 'checkout of a pack, price and customer known',
      work: checkout(buyer, sold.smallPack.lookupKey),
      aim: { of: 'providerCalls', most: 1 },
    },
    {
      what: 'checkout of a plan, price and customer unknown',
      work: checkout(subscriber, sold.monthly.lookupKey),
    },
    {
      what: 'checkout of a plan, price and customer known',
      work: checkout(buyer, sold.monthly.lookupKey),
      aim: { of: 'providerCalls', most: 1 },
    },
  ];
}

async function holdFor(backend: Billing, { uid }: BenchUser): Promise<Hold> {
  const hold = await backend.hold(uid, sold.feature);
  if (!hold.ok) throw new Error(hold.reason);
  return hold;
}

const expectStatus = (status: number) => expectText(`answered ${status}`);

function expectText(text: string) {
  return (error: unknown): void => {
    if (!(error instanceof Error) || !error.message.includes(text)) throw error;
  };
}

/** What Firestore bills, and what it makes a caller wait for. */
interface FirestoreCost {
  /** Calls on the wire; each is a round trip. */
  readonly calls: readonly string[];
  /**
   * Documents that were looked for, found or not: a missing one is billed too. A query that only adds up in the database
   * is one, as it is up to a thousand entries: its answer does not say how many there were.
   */
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
}

/** Fields of google.firestore.v1: the answers of reads say `found` or `missing`, a commit names its writes. */
const FOUND = 1;
const MISSING = 2;
const WRITES = 2;
const DOCUMENT = 1;
/** Of a write: the name of a document that goes. */
const DELETE = 2;

/** Counts what went through the proxy while `work` ran, by looking into the calls. */
export async function costOf(
  proxy: Pick<FirestoreProxy, 'calls' | 'watch'>,
  work: () => Promise<unknown>,
): Promise<FirestoreCost> {
  const calls: WatchedCall[] = [];
  proxy.watch = (call) => calls.push(call);
  const before = proxy.calls.length;
  try {
    await work();
    // A call is over a moment after its answer.
    while (calls.length < proxy.calls.length - before) await new Promise((turn) => setTimeout(turn, 1));
  } finally {
    proxy.watch = null;
  }
  return addUp(calls);
}

export function addUp(calls: readonly WatchedCall[]): FirestoreCost {
  const sum = { reads: 0, writes: 0, deletes: 0 };
  for (const { method, request, response } of calls) {
    switch (method) {
      case 'BatchGetDocuments':
        sum.reads += countIn(response, FOUND) + countIn(response, MISSING);
        break;
      case 'RunQuery':
        sum.reads += Math.max(1, countIn(response, DOCUMENT));
        break;
      case 'RunAggregationQuery':
        sum.reads += 1;
        break;
      case 'Commit': {
        const writes = isAnswered(response) ? writesIn(request) : [];
        const deletes = writes.filter((write) => messagesAt(write, DELETE).length > 0).length;
        sum.writes += writes.length - deletes;
        sum.deletes += deletes;
        break;
      }
      case 'BeginTransaction':
      case 'Rollback':
        break;
      default:
        throw new Error(`nobody has said what a ${method} costs`);
    }
  }
  return { calls: calls.map(({ method }) => method), ...sum };
}

/** A commit that is refused writes nothing, and its answer has no message. */
const isAnswered = (response: Uint8Array): boolean => messagesIn(response).length > 0;

const writesIn = (request: Uint8Array): readonly Uint8Array[] =>
  messagesIn(request).flatMap((message) => messagesAt(message, WRITES));

const countIn = (body: Uint8Array, field: number): number =>
  messagesIn(body).reduce((sum, message) => sum + messagesAt(message, field).length, 0);
