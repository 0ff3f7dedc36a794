import {
  atRandom,
  countWithin,
  DISTANCE_MS,
  type Fleet,
  fleetOf,
  type Load,
  nameOf,
  ONE,
  PRESSED,
  STICKY,
  type Way,
} from './fleet.ts';
import { describeLoad, figuresOf, type LoadFigures } from './load-figures.ts';
import { acrossRuns, type Compared, compare } from './measure.ts';
import { type Row, withSpread } from './report.ts';
import { planTraffic } from './traffic.ts';
import type { World } from './world.ts';

const RUNS = 3;
/** Of the requests of a load with a p99, those of one that is there to be compared with. */
const FEWER = 0.15;
const FAR_MS = 40;

const CALLS_AIM = 1.1;
const P50_AIM = 1.3;
const P99_AIM = 1.5;
const THROUGHPUT_AIM = 0.8;

interface Contender {
  readonly name: string;
  readonly way: Way;
  readonly distance: number;
  /** Of the samples of a load with a p99. */
  readonly share: number;
}

const contender = (way: Way, distance: number, share = FEWER): Contender => ({
  ...{ way, distance, share },
  name: `${nameOf(way)}, ${distance} ms to Firestore`,
});

const ALONE = contender(ONE, DISTANCE_MS, 1);
const TOGETHER = contender(STICKY, DISTANCE_MS, 1);
const CARRIED = contender(atRandom(true), DISTANCE_MS, 1);
const FAR_ALONE = contender(ONE, FAR_MS);
const CONTENDERS: readonly Contender[] = [
  ALONE,
  TOGETHER,
  CARRIED,
  contender(atRandom(false), DISTANCE_MS),
  contender(atRandom(true, 2), DISTANCE_MS),
  contender(atRandom(false, 2), DISTANCE_MS),
  FAR_ALONE,
  contender(atRandom(true), FAR_MS),
  contender(atRandom(false), FAR_MS),
];

/** (l) Consumes on one, two and four instances, as callers come to them. */
export async function benchInstances(world: World): Promise<readonly Row[]> {
  const fleet = await fleetOf(world);
  const loads = new Map<string, Load[]>();
  const pressed: Compared[] = [];
  try {
    for (let run = 0; run < RUNS; run += 1) {
      await fleet.far.setDistance(DISTANCE_MS);
      pressed.push(await press(fleet, run));
      const inTurn = run % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed();
      for (const each of inTurn) {
        const load = await play(fleet, each, (world.options.samples * each.share) / RUNS, run);
        loads.set(each.name, [...(loads.get(each.name) ?? []), load]);
        if (load.failures > 0) console.error(`bench: ${load.failures} failed, ${each.name}:`, load.failure);
      }
      console.error(`bench: row l, run ${run + 1} of ${RUNS}, ${fleet.perSecond}/s`);
    }
  } finally {
    await fleet.far.setDistance(0);
  }
  const figures = new Map(CONTENDERS.map(({ name }) => [name, figuresOf(loads.get(name) ?? [])]));
  return [
    ...CONTENDERS.map((each) => rowOf(each, figures, fleet.perSecond)),
    ...throughputRows(acrossRuns(pressed)),
  ];
}

async function play(fleet: Fleet, { way, distance }: Contender, wanted: number, run: number): Promise<Load> {
  await fleet.far.setDistance(distance);
  await fleet.leadIn(way);
  const { perSecond, visitors } = fleet;
  const count = countWithin(wanted, perSecond);
  const rate = { count, perSecond, visitors: visitors.users.length, seed: run + 1 };
  return fleet.play(way, planTraffic({ consume: 1 }, rate));
}

/** So many at once on each way, in another order in each run. */
async function press(fleet: Fleet, run: number): Promise<Compared> {
  const ways = { one: ONE, sticky: STICKY, carried: atRandom(true), forgotten: atRandom(false) };
  const contenders = Object.entries(ways).map(
    ([name, way]) =>
      [
        name,
        async () => {
          await fleet.leadIn(way);
          return fleet.press(way, PRESSED.connections, PRESSED.operations);
        },
      ] as const,
  );
  return compare(1, Object.fromEntries(run % 2 === 0 ? contenders : contenders.toReversed()), true);
}

function rowOf(
  { name, way, distance }: Contender,
  figures: ReadonlyMap<string, LoadFigures>,
  perSecond: number,
): Row {
  const of = (other: Contender): LoadFigures => {
    const found = figures.get(other.name);
    if (found === undefined) throw new Error(`nothing was measured of ${other.name}`);
    return found;
  };
  const own = of({ name, way, distance, share: 1 });
  const base = distance === DISTANCE_MS ? ALONE : FAR_ALONE;
  const ratios = ratiosTo(own, of(base));
  const isAimed = name === CARRIED.name;
  const against = [
    ...(name === base.name ? [] : [`${describe(ratios)} of 1 instance's`]),
    ...(isAimed ? [`${describe(ratiosTo(own, of(TOGETHER)))} of those with each user at one`] : []),
  ];
  const { p50, p99 } = ratios;
  const isMet = own.calls <= CALLS_AIM && p50 <= P50_AIM && p99 !== null && p99 <= P99_AIM;
  return {
    row: 'l',
    what: `consume, ${name}`,
    result: [
      ...against,
      describeLoad(own),
      `${perSecond}/s, the generator late by ${own.late.p50.toFixed(1)} ms (p99 ${own.late.p99.toFixed(1)} ms)`,
    ].join('; '),
    aim: isAimed ? `≤ ${CALLS_AIM} calls, p50 ≤ ${P50_AIM}, p99 ≤ ${P99_AIM} of 1 instance's, 0 failed` : '',
    met: isAimed ? isMet && own.failures === 0 : null,
    figures: { ...own, way, distance, perSecond, ratios },
  };
}

interface Ratios {
  readonly p50: number;
  readonly p90: number;
  /** Null where one of the two has too few samples. */
  readonly p99: number | null;
}

function ratiosTo(own: LoadFigures, base: LoadFigures): Ratios {
  const p99 = own.p99 === null || base.p99 === null ? null : own.p99.all / base.p99.all;
  return { p50: own.p50.all / base.p50.all, p90: own.p90.all / base.p90.all, p99 };
}

const describe = ({ p50, p90, p99 }: Ratios): string =>
  `p50 ${p50.toFixed(2)} and ${p99 === null ? `p90 ${p90.toFixed(2)}` : `p99 ${p99.toFixed(2)}`}`;

function throughputRows(compared: Compared): readonly Row[] {
  const row = (of: string, what: string, aim: number | null): Row => {
    const ratio = compared.ratio('perSecond', of, 'sticky');
    const each = withSpread(ratio, compared.spread('perSecond', of, 'sticky'));
    return {
      row: 'l',
      what: `throughput, ${what}, of 4 with each user at one`,
      result: `${each} (${compared.typical('perSecond', of).toFixed(0)}/s against ${compared.typical('perSecond', 'sticky').toFixed(0)}/s, ${PRESSED.connections} at a time; ${compared.failures()} failed)`,
      aim: aim === null ? '' : `≥ ${aim}`,
      met: aim === null ? null : ratio >= aim && compared.failures() === 0,
      figures: { ratio, samples: compared.samples },
    };
  };
  return [
    row('carried', nameOf(atRandom(true)), THROUGHPUT_AIM),
    row('forgotten', nameOf(atRandom(false)), null),
    row('one', nameOf(ONE), null),
  ];
}
