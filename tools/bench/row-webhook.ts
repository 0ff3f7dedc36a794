import { randomUUID } from 'node:crypto';
import type { DocumentData, Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import { handleDelivery } from '../../functions/src/events/webhook.ts';
import { sellerOf } from '../../functions/src/stripe/seal.ts';
import { translateEvent } from '../../functions/src/stripe/translate.ts';
import { aConfig } from '../../functions/test/app/config.ts';
import { auth } from '../../functions/test/app/emulated-user.ts';
import { quietLog } from '../../functions/test/app/quiet-log.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { catalog } from '../../packages/cli/src/local/catalog.ts';
import { compare, cpuOf, type Load, measure, ownCpu, type Sample } from './measure.ts';
import { type Row, ratiosOf } from './report.ts';
import { type Delivery, deliver, pick, planBegins, planRenews, USERS, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 32, operations: 500 },
] as const;
/** As in an instance that has been running: by then V8 has compiled what it runs often. */
const WARM_UP = { connections: 32, operations: 2_000 } as const;
const THROUGHPUT_AIM = 0.7;
const CPU_AIM = 1.3;
const BOTH_AIMS = `throughput ≥ ${THROUGHPUT_AIM}, CPU ≤ ${CPU_AIM}`;

/**
 * (e) A renewal's `invoice.paid` against a bare transaction of the same documents: through HTTP, signed, and in this
 * process, as the bare one is.
 */
export async function benchWebhook(world: World): Promise<readonly Row[]> {
  const { url, pid } = await world.direct();
  const handle = handlerOn(clientThrough({ address: process.env.FIRESTORE_EMULATOR_HOST ?? '' }));
  const like = `webhook-${randomUUID()}`;
  await handle(planBegins(like));
  await handle(planRenews(like, 1));
  const floor = await plainTransactions(world.firestore, like);
  const contenders = {
    http: await renewalsThrough(
      (delivery) => deliver(url, delivery),
      () => cpuOf(pid),
    ),
    process: await renewalsThrough(handle, ownCpu),
    floor: (load: Load) => measure(load, floor, ownCpu),
  };
  for (const run of Object.values(contenders)) await run(WARM_UP);

  const rows: Row[] = [];
  for (const load of LOADS) {
    const compared = await compare(world.options.rounds * 2, {
      http: () => contenders.http(load),
      process: () => contenders.process(load),
      floor: () => contenders.floor(load),
    });
    const isAimed = load.connections === 32;
    for (const [way, name] of [
      ['http', 'webhook'],
      ['process', "webhook's reads and commit, in process"],
    ] as const) {
      const { ratios, words } = ratiosOf(compared, way, 'floor');
      const isReached = ratios.cpu <= CPU_AIM && ratios.throughput >= THROUGHPUT_AIM;
      rows.push({
        row: 'e',
        what: `${name}, ${load.connections} at a time, of a bare transaction's on the same documents`,
        result: `${words} (${compared.typical('p50', way).toFixed(1)} ms, ${compared.typical('perSecond', way).toFixed(0)}/s, ${compared.failures()} failed)`,
        aim: isAimed ? BOTH_AIMS : '',
        met: isAimed ? isReached && compared.failures() === 0 : null,
        figures: { ...ratios, failures: compared.failures(), samples: compared.samples },
      });
    }
  }
  return rows;
}

/** Renewals of users whom nobody else writes. They are signed beforehand: that is the provider's work. */
async function renewalsThrough(
  handle: (delivery: Delivery) => Promise<void>,
  cpu: () => number | null,
): Promise<(load: Load) => Promise<Sample>> {
  const run = randomUUID().slice(0, 8);
  const uids = Array.from({ length: USERS }, (_, n) => `webhook-${run}-${n}`);
  for (const uid of uids) await handle(planBegins(uid));
  let period = 0;
  return (load) => {
    const deliveries: Delivery[] = [];
    for (let n = 0; n < load.operations; n += 1) {
      if (n % uids.length === 0) period += 1;
      deliveries.push(planRenews(pick(uids, n), period));
    }
    return measure(load, (n) => handle(pick(deliveries, n)), cpu);
  };
}

/** What the webhook's route does behind HTTP and the signature, on a client as the function has it. */
function handlerOn(firestore: Firestore): (delivery: Delivery) => Promise<void> {
  const config = aConfig({ project: process.env.GCLOUD_PROJECT ?? null });
  const deps = {
    ...{ firestore, auth, config, catalog: () => catalog, now: () => Date.now(), log: quietLog },
    stripe: () => Promise.reject(new Error('a renewal asks the provider nothing')),
  };
  return async ({ body }) => {
    const event: Stripe.Event = JSON.parse(body);
    const { outcome } = await handleDelivery(deps, translateEvent(event, sellerOf(deps)));
    if (outcome !== 'applied') throw new Error(`the event was ${outcome}`);
  };
}

/**
 * Reads marker, facts and record and writes them and a ledger entry, as the webhook does for one event, with what
 * the service wrote for a user in the documents and no thought in between.
 */
async function plainTransactions(
  firestore: Firestore,
  like: string,
): Promise<(index: number) => Promise<void>> {
  const run = randomUUID().slice(0, 8);
  const record = await contentOf(firestore, `customers/${like}`);
  const facts = await contentOf(firestore, `billing_facts/${like}`);
  const [entry] = (await firestore.collection(`customers/${like}/credit_ledger`).limit(1).get()).docs;
  const [marker] = (
    await firestore.collection('billing_events').where('uids', 'array-contains', like).limit(1).get()
  ).docs;
  if (entry === undefined || marker === undefined) throw new Error(`nothing was written for ${like}`);

  let count = 0;
  return async () => {
    count += 1;
    const n = count;
    const uid = `floor-${run}-${n % USERS}`;
    const paths = [`billing_events/evt_${run}_${n}`, `billing_facts/${uid}`, `customers/${uid}`] as const;
    const [markerRef, factsRef, customerRef] = paths.map((path) => firestore.doc(path));
    if (markerRef === undefined || factsRef === undefined || customerRef === undefined) return;
    await firestore.runTransaction(async (transaction) => {
      const [seen] = await transaction.getAll(markerRef, factsRef, customerRef);
      if (seen?.exists === true) return;
      transaction.create(markerRef, marker.data());
      transaction.set(factsRef, facts);
      transaction.set(customerRef, record, { merge: true });
      transaction.create(customerRef.collection('credit_ledger').doc(`entry-${n}`), entry.data());
    });
  };
}

async function contentOf(firestore: Firestore, path: string): Promise<DocumentData> {
  const content = (await firestore.doc(path).get()).data();
  if (content === undefined) throw new Error(`there is no ${path}`);
  return content;
}
