import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { seeded } from '../random.ts';
import { bareCommitsOn, consumeOn, floorOn } from './contenders.ts';
import { startFunction } from './instances.ts';
import { acrossRuns, type Compared, compare } from './measure.ts';
import { jittered } from './open-loop.ts';
import { type Row, ratiosOf } from './report.ts';
import { signUpUsers, USERS, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 16, operations: 500 },
  { connections: 32, operations: 600 },
  { connections: 64, operations: 600 },
] as const;
const DISTANCES = [
  {
    ms: 10,
    loads: [
      { connections: 1, operations: 80 },
      { connections: 32, operations: 600 },
    ],
  },
  {
    ms: 40,
    loads: [
      { connections: 1, operations: 30 },
      { connections: 32, operations: 400 },
    ],
  },
] as const;
/** As in an instance that has been running: by then V8 has compiled what it runs often. */
const WARM_UP = { connections: 32, operations: 3_000 } as const;
/** Each with a process of its own for the function. */
const RUNS = 3;
const THROUGHPUT_AIM = 1;
const LATENCY_AIM = 0.3;
const DISTANT_LATENCY_AIM = 0.55;

type Load = (typeof LOADS)[number];

/** (a) Consume through HTTP against the plain transaction, and against one bare commit, both in process. */
export async function benchConsume(world: World): Promise<readonly Row[]> {
  const users = await signUpUsers(world.firestore, USERS);
  await (await floorOn(world.firestore, WARM_UP, USERS))();
  await (await bareCommitsOn(world.firestore, WARM_UP, USERS))();
  const found = new Map<Load, Compared[]>(LOADS.map((load) => [load, []]));
  for (let run = 0; run < RUNS; run += 1) {
    const instance = await startFunction();
    try {
      await instance.listens;
      const served = { ...instance, users };
      await consumeOn(served, WARM_UP)();
      for (const load of LOADS) {
        const contenders = {
          service: consumeOn(served, load),
          floor: await floorOn(world.firestore, load, USERS),
          commit: await bareCommitsOn(world.firestore, load, USERS),
        };
        found.get(load)?.push(await compare(Math.ceil(world.options.rounds / RUNS), contenders, true));
      }
    } finally {
      await instance.end();
    }
  }
  const rows = LOADS.map((load) => nearRow(load, acrossRuns(found.get(load) ?? [])));
  return [...rows, ...(await benchDistant(world))];
}

function nearRow({ connections }: Load, compared: Compared): Row {
  const latency = compared.ratio('p50', 'service', 'floor');
  const throughput = compared.ratio('perSecond', 'service', 'floor');
  const aims: Record<number, Pick<Row, 'aim' | 'met'>> = {
    1: { aim: `p50 ≤ ${LATENCY_AIM}`, met: latency <= LATENCY_AIM },
    32: { aim: `throughput ≥ ${THROUGHPUT_AIM.toFixed(1)}`, met: throughput >= THROUGHPUT_AIM },
  };
  return {
    row: 'a',
    what: `consume, ${connections} at a time, of the plain transaction's`,
    result: `${ratiosOf(compared, 'service', 'floor').words}; of a bare commit's: ${ratiosOf(compared, 'service', 'commit').words} (${absolute(compared)}, ${compared.typical('cpu', 'service').toFixed(2)} ms CPU each)`,
    ...(aims[connections] ?? { aim: '', met: null }),
    figures: figuresOf(compared),
  };
}

/** The same with a round trip in front of Firestore, for all of them. */
async function benchDistant(world: World): Promise<readonly Row[]> {
  const behindProxy = await world.behindProxy();
  const near = clientThrough(world.proxy);
  await consumeOn(behindProxy, WARM_UP)();
  await (await floorOn(near, WARM_UP, USERS))();
  const random = seeded(11);
  try {
    const rows: Row[] = [];
    for (const { ms, loads } of DISTANCES) {
      for (const load of loads) {
        world.proxy.delayMs = 0;
        const contenders = {
          service: consumeOn(behindProxy, load),
          floor: await floorOn(near, load, USERS),
          commit: await bareCommitsOn(near, load, USERS),
        };
        world.proxy.delayMs = () => jittered(ms, random);
        const compared = await compare(Math.ceil((world.options.rounds * 3) / 5), contenders);
        const latency = compared.ratio('p50', 'service', 'floor');
        const isAimed = load.connections === 1 && ms === 10;
        rows.push({
          row: 'a',
          what: `consume, ${load.connections} at a time, ${ms} ms to Firestore, of the plain transaction's`,
          result: `${ratiosOf(compared, 'service', 'floor').words}; of a bare commit's: ${ratiosOf(compared, 'service', 'commit').words} (${absolute(compared)})`,
          aim: isAimed ? `p50 ≤ ${DISTANT_LATENCY_AIM}` : '',
          met: isAimed ? latency <= DISTANT_LATENCY_AIM : null,
          figures: figuresOf(compared),
        });
      }
    }
    return rows;
  } finally {
    world.proxy.delayMs = 0;
    await near.terminate();
  }
}

const absolute = (compared: Compared): string =>
  `${compared.typical('p50', 'service').toFixed(1)} ms, p90 ${compared.typical('p90', 'service').toFixed(1)} ms, ${compared.typical('perSecond', 'service').toFixed(0)}/s`;

function figuresOf(compared: Compared): Row['figures'] {
  const of = (floor: string) => ratiosOf(compared, 'service', floor).ratios;
  const { samples } = compared;
  return { ...of('floor'), toBareCommit: of('commit'), failures: compared.failures(), samples };
}
