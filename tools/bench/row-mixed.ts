import {
  atRandom,
  countWithin,
  DISTANCE_MS,
  type Fleet,
  fleetOf,
  type Load,
  nameOf,
  ONE,
  type Way,
} from './fleet.ts';
import { describeLoad, figuresOf, spreadOf } from './load-figures.ts';
import { peakMemoryOf } from './measure.ts';
import type { Row } from './report.ts';
import { type Kind, MIX, planTraffic } from './traffic.ts';
import type { World } from './world.ts';

const RUNS = 3;
const MEMORY_MIB = 512;
const UNCOUNTED = 600;

interface Contender {
  readonly way: Way;
  /** Of the samples that a p99 takes. */
  readonly share: number;
}

const CONTENDERS: readonly Contender[] = [
  { way: ONE, share: 0.3 },
  { way: atRandom(true), share: 1 },
];

/** (m) All that is asked of the service in a day, as it comes. */
export async function benchMixed(world: World): Promise<readonly Row[]> {
  const fleet = await fleetOf(world);
  const loads = new Map<Way, Load[]>();
  await fleet.far.setDistance(DISTANCE_MS);
  try {
    // What is asked seldom is compiled as well, before anything counts.
    for (const { way } of CONTENDERS) await play(fleet, way, UNCOUNTED, RUNS);
    for (let run = 0; run < RUNS; run += 1) {
      for (const { way, share } of run % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed()) {
        await fleet.leadIn(way);
        const load = await play(fleet, way, (world.options.samples * share) / RUNS, run);
        loads.set(way, [...(loads.get(way) ?? []), load]);
      }
    }
  } finally {
    await fleet.far.setDistance(0);
  }
  return [
    ...CONTENDERS.map(({ way }) => rowOf(way, loads.get(way) ?? [], fleet.perSecond)),
    memoryRow(fleet),
  ];
}

function play(fleet: Fleet, way: Way, wanted: number, run: number): Promise<Load> {
  const { perSecond, visitors } = fleet;
  const count = countWithin(wanted, perSecond);
  return fleet.play(
    way,
    planTraffic(MIX, { count, perSecond, visitors: visitors.users.length, seed: run + 1 }),
  );
}

function rowOf(way: Way, loads: readonly Load[], perSecond: number): Row {
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
    what: `mixed requests, ${nameOf(way)}, ${DISTANCE_MS} ms to Firestore`,
    result: `${describeLoad(figures)}; ${perSecond}/s; p50 in ms: ${each.join(', ')}`,
    aim: '0 failed',
    met: figures.failures === 0,
    figures: { ...figures, kinds, perSecond, shares: MIX },
  };
}

function memoryRow({ instances }: Fleet): Row {
  const peaks = instances.map(({ pid }) => peakMemoryOf(pid) ?? Number.NaN);
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
