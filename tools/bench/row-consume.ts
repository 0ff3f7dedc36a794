import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { consumeOn, floorOn } from './contenders.ts';
import { compare } from './measure.ts';
import type { Row } from './report.ts';
import { USERS, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 16, operations: 600 },
  { connections: 32, operations: 600 },
  { connections: 64, operations: 600 },
] as const;
const DISTANT_LOADS = [
  { connections: 1, operations: 100 },
  { connections: 32, operations: 600 },
] as const;
/** As in an instance that has been running: by then V8 has compiled what it runs often. */
const WARM_UP = { connections: 32, operations: 3_000 } as const;
const DISTANCE_MS = 10;
const THROUGHPUT_AIM = 1;
const LATENCY_AIM = 0.3;
const DISTANT_LATENCY_AIM = 0.55;

/** (a) Consume through HTTP against the plain transaction in process. */
export async function benchConsume(world: World): Promise<readonly Row[]> {
  const direct = await world.direct();
  await consumeOn(direct, WARM_UP)();
  await (await floorOn(world.firestore, WARM_UP, USERS))();
  const rows: Row[] = [];
  for (const load of LOADS) {
    const compared = await compare(world.options.rounds, {
      service: consumeOn(direct, load),
      floor: await floorOn(world.firestore, load, USERS),
    });
    const throughput = compared.ratio('perSecond', 'service', 'floor');
    const latency = compared.ratio('p50', 'service', 'floor');
    const cpu = compared.ratio('cpu', 'service', 'floor');
    const aims: Record<number, Pick<Row, 'aim' | 'met'>> = {
      1: { aim: `p50 ≤ ${LATENCY_AIM}`, met: latency <= LATENCY_AIM },
      32: { aim: `throughput ≥ ${THROUGHPUT_AIM.toFixed(1)}`, met: throughput >= THROUGHPUT_AIM },
    };
    rows.push({
      row: 'a',
      what: `consume, ${load.connections} at a time, of the plain transaction's`,
      result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)}, CPU ${cpu.toFixed(2)} (${compared.typical('p50', 'service').toFixed(1)} ms, p90 ${compared.typical('p90', 'service').toFixed(1)} ms, ${compared.typical('perSecond', 'service').toFixed(0)}/s, ${compared.typical('cpu', 'service').toFixed(2)} ms CPU each)`,
      ...(aims[load.connections] ?? { aim: '', met: null }),
      figures: {
        throughput,
        latency,
        cpu,
        failures: compared.failures(),
        samples: compared.samples,
      },
    });
  }
  return [...rows, ...(await benchDistant(world))];
}

/** The same with a round trip in front of Firestore, for both. */
async function benchDistant(world: World): Promise<readonly Row[]> {
  const behindProxy = await world.behindProxy();
  const floor = clientThrough(world.proxy);
  await consumeOn(behindProxy, WARM_UP)();
  await (await floorOn(floor, WARM_UP, USERS))();
  world.proxy.delayMs = DISTANCE_MS;
  try {
    const rows: Row[] = [];
    for (const load of DISTANT_LOADS) {
      const compared = await compare(world.options.rounds, {
        service: consumeOn(behindProxy, load),
        floor: await floorOn(floor, load, USERS),
      });
      const latency = compared.ratio('p50', 'service', 'floor');
      const throughput = compared.ratio('perSecond', 'service', 'floor');
      const isAimed = load.connections === 1;
      rows.push({
        row: 'a',
        what: `consume, ${load.connections} at a time, ${DISTANCE_MS} ms to Firestore, of the plain transaction's`,
        result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)} (${compared.typical('p50', 'service').toFixed(1)} ms)`,
        aim: isAimed ? `p50 ≤ ${DISTANT_LATENCY_AIM}` : '',
        met: isAimed ? latency <= DISTANT_LATENCY_AIM : null,
        figures: { latency, throughput, failures: compared.failures(), samples: compared.samples },
      });
    }
    return rows;
  } finally {
    world.proxy.delayMs = 0;
    await floor.terminate();
  }
}
