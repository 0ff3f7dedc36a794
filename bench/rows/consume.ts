import { compare } from '../compare.ts';
import { consumePlainly } from '../floor.ts';
import { measure } from '../measure.ts';
import type { Row } from '../report.ts';
import { send } from '../send.ts';
import { clientThrough, consume, pick, type World } from '../world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 16, operations: 600 },
  { connections: 32, operations: 600 },
  { connections: 64, operations: 600 },
] as const;
const ROUNDS = 3;
const THROUGHPUT_AIM = 1;
const LATENCY_AIM = 0.3;
const DISTANT_LATENCY_AIM = 0.55;

/** (a) Consume through HTTP against the plain transaction in process, and against an Express hello. */
export async function benchConsume(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { connections, operations } of LOADS) {
    const compared = await compare(ROUNDS, {
      service: () => measure(connections, operations, (n) => consume(world.direct.url, pick(world.users, n))),
      floor: () =>
        measure(connections, operations, (n) =>
          consumePlainly(world.firestore, `floor-${n % world.users.length}`),
        ),
      hello: () => measure(connections, operations, () => hello(world)),
    });
    const throughput = compared.ratio('perSecond', 'service', 'floor');
    const latency = compared.ratio('p50', 'service', 'floor');
    const toHello = compared.ratio('perSecond', 'service', 'hello');
    const aim = {
      1: { aim: `p50 ≤ ${LATENCY_AIM}`, met: latency <= LATENCY_AIM },
      32: { aim: `throughput ≥ ${THROUGHPUT_AIM.toFixed(1)}`, met: throughput >= THROUGHPUT_AIM },
    }[connections as number] ?? { aim: '', met: null };
    rows.push({
      row: 'a',
      what: `consume, ${connections} at a time, of the floor's`,
      result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)} (throughput of the hello's ${toHello.toFixed(2)})`,
      ...aim,
      figures: { throughput, latency, toHello, failures: compared.failures(), samples: compared.samples },
    });
  }
  return [...rows, ...(await benchDistant(world))];
}

/** The same with a round trip of 10 ms in front of Firestore, for both. */
async function benchDistant(world: World): Promise<readonly Row[]> {
  const floor = clientThrough(world.proxy);
  await consumePlainly(floor, 'floor-0');
  world.proxy.delayMs = 10;
  try {
    const rows: Row[] = [];
    for (const { connections, operations } of [
      { connections: 1, operations: 150 },
      { connections: 32, operations: 600 },
    ]) {
      const compared = await compare(ROUNDS, {
        service: () =>
          measure(connections, operations, (n) => consume(world.behindProxy.url, pick(world.users, n))),
        floor: () =>
          measure(connections, operations, (n) => consumePlainly(floor, `floor-${n % world.users.length}`)),
      });
      const latency = compared.ratio('p50', 'service', 'floor');
      const throughput = compared.ratio('perSecond', 'service', 'floor');
      rows.push({
        row: 'a',
        what: `consume, ${connections} at a time, 10 ms to Firestore, of the floor's`,
        result: `p50 ${latency.toFixed(2)}, throughput ${throughput.toFixed(2)}`,
        aim: connections === 1 ? `p50 ≤ ${DISTANT_LATENCY_AIM}` : '',
        met: connections === 1 ? latency <= DISTANT_LATENCY_AIM : null,
        figures: { latency, throughput, failures: compared.failures(), samples: compared.samples },
      });
    }
    return rows;
  } finally {
    world.proxy.delayMs = 0;
    await floor.terminate();
  }
}

async function hello({ hello: { url } }: World): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  await send(`${url}/`, { method: 'POST', headers, body: '{"feature":"demo"}' });
}
