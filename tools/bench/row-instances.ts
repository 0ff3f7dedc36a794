import { type Fleet, fleetOf, INSTANCES, type Load, type Way } from './fleet.ts';
import { describeLoad, figuresOf, type LoadFigures } from './load-figures.ts';
import { acrossRuns, type Compared, compare } from './measure.ts';
import { type Row, withSpread } from './report.ts';
import { planTraffic } from './traffic.ts';
import type { World } from './world.ts';

const RUNS = 3;
/** Of the requests of a load with a p99, those of one that is there to be compared with. */
const FEWER = 0.3;
const NEAR_MS = 10;
const FAR_MS = 40;
const PRESSED = { connections: 32, operations: 1_200 } as const;
/** Of what the instances can take: a load under which nothing queues for long, but by chance. */
const LOAD = 0.4;
const RATES = { least: 40, most: 400 } as const;

const CALLS_AIM = 1.1;
const P50_AIM = 1.3;
const P99_AIM = 1.5;
const THROUGHPUT_AIM = 0.8;

const one: Way = { instances: 1, routing: 'sticky', carries: true };
const sticky: Way = { instances: INSTANCES, routing: 'sticky', carries: true };
const random = (instances: number, carries: boolean): Way => ({ instances, routing: 'random', carries });

interface Contender {
  readonly name: string;
  readonly way: Way;
  readonly distance: number;
  /** Of the samples of a load with a p99. */
  readonly share: number;
}

/** How a way is called in the table. */
function nameOf({ instances, routing, carries }: Way): string {
  if (instances === 1) return '1 instance';
  if (routing === 'sticky') return `${instances} instances, each user at one`;
  return `${instances} instances at random, version ${carries ? 'carried' : 'not carried'}`;
}

const contender = (way: Way, distance: number, share = FEWER): Contender => ({
  ...{ way, distance, share },
  name: `${nameOf(way)}, ${distance} ms to Firestore`,
});

const ALONE = contender(one, NEAR_MS, 1);
const CARRIED = contender(random(INSTANCES, true), NEAR_MS, 1);
const FAR_ALONE = contender(one, FAR_MS);
const CONTENDERS: readonly Contender[] = [
  ALONE,
  CARRIED,
  contender(random(INSTANCES, false), NEAR_MS),
  contender(sticky, NEAR_MS),
  contender(random(2, true), NEAR_MS),
  contender(random(2, false), NEAR_MS),
  FAR_ALONE,
  contender(random(INSTANCES, true), FAR_MS),
  contender(random(INSTANCES, false), FAR_MS),
];

/** (l) Consumes on one, two and four instances, as callers come to them. */
export async function benchInstances(world: World): Promise<readonly Row[]> {
  const fleet = await fleetOf(world);
  const loads = new Map<string, Load[]>();
  const pressed: Compared[] = [];
  let perSecond = 0;
  try {
    for (let run = 0; run < RUNS; run += 1) {
      await fleet.far.setDistance(NEAR_MS);
      pressed.push(await press(fleet, run));
      // Once, so that all runs are of the same load.
      perSecond ||= rateFor(pressed[0]?.typical('perSecond', 'sticky') ?? 0);
      const inTurn = run % 2 === 0 ? CONTENDERS : CONTENDERS.toReversed();
      for (const { name, way, distance, share } of inTurn) {
        await fleet.far.setDistance(distance);
        await fleet.leadIn(way);
        const visitors = fleet.visitors.users.length;
        const count = Math.ceil((world.options.samples * share) / RUNS);
        const plan = planTraffic({ consume: 1 }, { count, perSecond, visitors, seed: run + 1 });
        loads.set(name, [...(loads.get(name) ?? []), await fleet.play(way, plan)]);
      }
      console.error(`bench: row l, run ${run + 1} of ${RUNS}, ${perSecond}/s`);
    }
  } finally {
    await fleet.far.setDistance(0);
  }
  const figures = new Map(CONTENDERS.map(({ name }) => [name, figuresOf(loads.get(name) ?? [])]));
  return [
    ...CONTENDERS.map((each) => rowOf(each, figures, perSecond)),
    ...throughputRows(acrossRuns(pressed)),
  ];
}

/** What the load of the runs is: it depends on the machine, and is the same for all who are compared. */
export function rateFor(most: number): number {
  return Math.max(RATES.least, Math.min(RATES.most, Math.round((LOAD * most) / 10) * 10));
}

/** So many at once on each way, in another order in each run. */
async function press(fleet: Fleet, run: number): Promise<Compared> {
  const ways = { one, sticky, carried: random(INSTANCES, true), forgotten: random(INSTANCES, false) };
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
  const own = figures.get(name);
  const base = figures.get((distance === NEAR_MS ? ALONE : FAR_ALONE).name);
  if (own === undefined || base === undefined) throw new Error(`nothing was measured of ${name}`);
  const p50 = own.p50.all / base.p50.all;
  const p90 = own.p90.all / base.p90.all;
  const p99 = own.p99 === null || base.p99 === null ? null : own.p99.all / base.p99.all;
  const tail = p99 === null ? `p90 ${p90.toFixed(2)}` : `p99 ${p99.toFixed(2)}`;
  const against = own === base ? '' : `p50 ${p50.toFixed(2)} and ${tail} of 1 instance's: `;
  const isAimed = name === CARRIED.name;
  const isMet =
    own.calls <= CALLS_AIM && p50 <= P50_AIM && (p99 ?? Number.NaN) <= P99_AIM && own.failures === 0;
  return {
    row: 'l',
    what: `consume, ${name}`,
    result: `${against}${describeLoad(own)}; ${perSecond}/s, the generator late by ${own.late.p50.toFixed(1)} ms (p99 ${own.late.p99.toFixed(1)} ms)`,
    aim: isAimed ? `≤ ${CALLS_AIM} calls, p50 ≤ ${P50_AIM}, p99 ≤ ${P99_AIM} of 1 instance's` : '',
    met: isAimed ? isMet : null,
    figures: { ...own, way, distance, perSecond, p50Ratio: p50, p90Ratio: p90, p99Ratio: p99 },
  };
}

function throughputRows(compared: Compared): readonly Row[] {
  const row = (of: string, what: string, aim: number | null): Row => {
    const ratio = compared.ratio('perSecond', of, 'sticky');
    const each = withSpread(ratio, compared.spread('perSecond', of, 'sticky'));
    return {
      row: 'l',
      what: `throughput of ${what}, ${PRESSED.connections} at a time, of 4 with each user at one`,
      result: `${each} (${compared.typical('perSecond', of).toFixed(0)}/s against ${compared.typical('perSecond', 'sticky').toFixed(0)}/s; ${compared.failures()} failed)`,
      aim: aim === null ? '' : `≥ ${aim}`,
      met: aim === null ? null : ratio >= aim && compared.failures() === 0,
      figures: { ratio, samples: compared.samples },
    };
  };
  return [
    row('carried', nameOf(random(INSTANCES, true)), THROUGHPUT_AIM),
    row('forgotten', nameOf(random(INSTANCES, false)), null),
    row('one', nameOf(one), null),
  ];
}
