import { fleetOf, INSTANCES, type Load, type Way } from './fleet.ts';
import { describeLoad, figuresOf, spreadOf } from './load-figures.ts';
import { peakMemoryOf } from './measure.ts';
import type { Row } from './report.ts';
import { rateFor } from './row-instances.ts';
import { type Kind, MIX, planTraffic } from './traffic.ts';
import type { World } from './world.ts';

const RUNS = 3;
const DISTANCE_MS = 10;
const MEMORY_MIB = 512;

const WAYS: readonly (readonly [string, Way])[] = [
  ['1 instance', { instances: 1, routing: 'sticky', carries: true }],
  [
    `${INSTANCES} instances at random, version carried`,
    { instances: INSTANCES, routing: 'random', carries: true },
  ],
];

/** (m) All that is asked of the service in a day, as it comes. */
export async function benchMixed(world: World): Promise<readonly Row[]> {
  const fleet = await fleetOf(world);
  const count = Math.ceil(world.options.samples / RUNS);
  const loads = new Map<string, Load[]>();
  await fleet.far.setDistance(DISTANCE_MS);
  let perSecond = 0;
  try {
    const pressed = await fleet.press({ instances: INSTANCES, routing: 'sticky', carries: true }, 32, 1_200);
    perSecond = rateFor(pressed.perSecond);
    // What is asked seldom is compiled as well, before anything counts.
    for (const [, way] of WAYS) await play(way, 600, 99);
    for (let run = 0; run < RUNS; run += 1) {
      for (const [name, way] of run % 2 === 0 ? WAYS : WAYS.toReversed()) {
        await fleet.leadIn(way);
        loads.set(name, [...(loads.get(name) ?? []), await play(way, count, run + 1)]);
      }
    }
  } finally {
    await fleet.far.setDistance(0);
  }
  return [...WAYS.map(([name]) => rowOf(name, loads.get(name) ?? [], perSecond)), memoryRow()];

  function play(way: Way, count: number, seed: number): Promise<Load> {
    const visitors = fleet.visitors.users.length;
    return fleet.play(way, planTraffic(MIX, { count, perSecond, visitors, seed }));
  }

  function memoryRow(): Row {
    const peaks = fleet.instances.map(({ pid }) => peakMemoryOf(pid) ?? Number.NaN);
    const most = Math.max(...peaks);
    return {
      row: 'm',
      what: 'most memory of an instance, after all of its loads',
      result: `${most.toFixed(0)} MiB, with V8's heap limited to what it takes in a container of ${MEMORY_MIB} MiB`,
      aim: `≤ ${MEMORY_MIB} MiB`,
      met: Number.isNaN(most) ? null : most <= MEMORY_MIB,
      figures: { peaks },
    };
  }
}

function rowOf(name: string, loads: readonly Load[], perSecond: number): Row {
  const figures = figuresOf(loads);
  const kinds = (Object.keys(MIX) as Kind[]).map((kind) => {
    const times = loads.map(({ plan, times: all }) =>
      all.filter((time, index) => plan[index]?.kind === kind && !Number.isNaN(time)),
    );
    return { kind, p50: spreadOf(times, 0.5), p90: spreadOf(times, 0.9), samples: times.flat().length };
  });
  const each = kinds.map(({ kind, p50, p90 }) => `${kind} ${p50.all.toFixed(1)} (p90 ${p90.all.toFixed(1)})`);
  const failure = loads.find((load) => load.failures > 0)?.failure;
  if (failure !== undefined) console.error('bench: one of what failed:', failure);
  return {
    row: 'm',
    what: `mixed requests, ${name}, ${DISTANCE_MS} ms to Firestore`,
    result: `${describeLoad(figures)}; ${perSecond}/s; p50 in ms: ${each.join(', ')}`,
    aim: '0 failed',
    met: figures.failures === 0,
    figures: { ...figures, kinds, perSecond, shares: MIX },
  };
}
