import { randomUUID } from 'node:crypto';
import type { DocumentData, Firestore } from 'firebase-admin/firestore';
import { compare, cpuOf, type Load, measure, ownCpu, type Sample } from './measure.ts';
import { type Row, withSpread } from './report.ts';
import { type Delivery, deliver, pick, planBegins, planRenews, USERS, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 32, operations: 500 },
] as const;
/** As in an instance that has been running: by then V8 has compiled what it runs often. */
const WARM_UP = { connections: 32, operations: 2_000 } as const;
const THROUGHPUT_AIM = 0.7;
const CPU_AIM = 1.3;

/** (e) A renewal's `invoice.paid` through HTTP, signed, against a bare transaction of the same documents. */
export async function benchWebhook(world: World): Promise<readonly Row[]> {
  const { url, pid } = await world.direct();
  const run = randomUUID().slice(0, 8);
  const uids = Array.from({ length: USERS }, (_, n) => `webhook-${run}-${n}`);
  for (const uid of uids) await deliver(url, planBegins(uid));
  let period = 0;

  /** Signed beforehand: that is the provider's work. */
  const service = async (load: Load): Promise<Sample> => {
    const deliveries: Delivery[] = [];
    for (let n = 0; n < load.operations; n += 1) {
      if (n % uids.length === 0) period += 1;
      deliveries.push(planRenews(pick(uids, n), period));
    }
    return measure(
      load,
      (n) => deliver(url, pick(deliveries, n)),
      () => cpuOf(pid),
    );
  };
  await service(WARM_UP);
  const floor = await plainTransactions(world.firestore, pick(uids, 0));
  await measure(WARM_UP, floor);

  const rows: Row[] = [];
  for (const load of LOADS) {
    const compared = await compare(world.options.rounds, {
      service: () => service(load),
      floor: () => measure(load, floor, ownCpu),
    });
    const throughput = compared.ratio('perSecond', 'service', 'floor');
    const latency = compared.ratio('p50', 'service', 'floor');
    const cpu = compared.ratio('cpu', 'service', 'floor');
    const told = (value: number, figure: 'perSecond' | 'p50' | 'cpu'): string =>
      withSpread(value, compared.spread(figure, 'service', 'floor'));
    const isAimed = load.connections === 32;
    rows.push({
      row: 'e',
      what: `webhook, ${load.connections} at a time, of a bare transaction's on the same documents`,
      result: `throughput ${told(throughput, 'perSecond')}, p50 ${told(latency, 'p50')}, CPU ${told(cpu, 'cpu')} (${compared.typical('p50', 'service').toFixed(1)} ms, ${compared.typical('perSecond', 'service').toFixed(0)}/s, ${compared.failures()} failed)`,
      aim: isAimed ? `throughput ≥ ${THROUGHPUT_AIM}, CPU ≤ ${CPU_AIM}` : '',
      met: isAimed ? throughput >= THROUGHPUT_AIM && cpu <= CPU_AIM && compared.failures() === 0 : null,
      figures: { throughput, latency, cpu, failures: compared.failures(), samples: compared.samples },
    });
  }
  return rows;
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
