import { randomUUID } from 'node:crypto';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { type CallCounts, type FarFirestore, startFarFirestore } from './far-firestore.ts';
import { type Instance, startFunction } from './instances.ts';
import { measure, type Sample } from './measure.ts';
import { type Answered, openLoop } from './open-loop.ts';
import { newKey } from './row-backend.ts';
import { instanceFor, type Planned, type Routing } from './traffic.ts';
import { askAs, type Visitors } from './visitors.ts';
import { deliver, giveCredits, packComes, pick, planBegins, signUpOnly, type World } from './world.ts';

// Several instances of the function behind one store at a distance, as Cloud Run has them behind Firestore.

export const INSTANCES = 4;
/** Many, as in a business: with few of them somebody would ask twice at the same moment all the time (rows b and c). */
const VISITORS = 1_024;
const CHARGED = 128;
const POOR = 16;
const PACK = 100_000;
/**
 * The whole heap that V8 takes by itself in a container of 512 MiB: half of it, and three pages. What Node has beside
 * its heap is not limited, but measured (row m).
 */
const AS_IN_512_MIB = ['--max-heap-size=259'];

/** Of what the instances take at most: a load under which nothing waits for long, but by chance. */
const LOAD = 0.4;
const RATES = { least: 40, most: 400 } as const;
/** No load takes longer: on a machine so slow that this is not enough for a p99, none is told. */
const MOST_SECONDS = 20;
/** A round trip to Firestore within a region. */
export const DISTANCE_MS = 10;
export const PRESSED = { connections: 32, operations: 1_200 } as const;

/** How a load comes to the instances. */
export interface Way {
  readonly instances: number;
  readonly routing: Routing;
  readonly carries: boolean;
}

export const ONE: Way = { instances: 1, routing: 'sticky', carries: true };
export const STICKY: Way = { instances: INSTANCES, routing: 'sticky', carries: true };
export const atRandom = (carries: boolean, instances = INSTANCES): Way => ({
  ...{ instances, carries, routing: 'random' },
});

/** How a way is called in the table. */
export function nameOf({ instances, routing, carries }: Way): string {
  if (instances === 1) return '1 instance';
  if (routing === 'sticky') return `${instances} instances, each user at one`;
  return `${instances} instances at random, version ${carries ? 'carried' : 'not carried'}`;
}

/** A load that came to an end, with the calls to the store that it took. */
export interface Load extends Answered {
  readonly plan: readonly Planned[];
  readonly calls: CallCounts;
}

export interface Fleet {
  readonly instances: readonly Instance[];
  readonly far: FarFirestore;
  readonly visitors: Visitors;
  /** The load of all comparisons: it depends on the machine, and is the same for all who are compared. */
  readonly perSecond: number;
  /**
   * Where nothing is carried, each visitor consumes once, so that the instances remember what they would in a longer
   * load of this way. What is carried is newer than what they remember.
   */
  leadIn(way: Way): Promise<void>;
  /** Requests at their times, whatever became of those before. */
  play(way: Way, plan: readonly Planned[]): Promise<Load>;
  /** So many at once, each of the visitors in turn: what the way takes at most. */
  press(way: Way, connections: number, operations: number): Promise<Sample>;
}

const fleets = new WeakMap<World, Promise<Fleet>>();

/** The same for all rows of a run. */
export function fleetOf(world: World): Promise<Fleet> {
  const known = fleets.get(world);
  if (known !== undefined) return known;
  const fleet = openFleet(world);
  fleets.set(world, fleet);
  return fleet;
}

async function openFleet(world: World): Promise<Fleet> {
  const far = await startFarFirestore();
  world.atEnd(async () => far.end());
  const instances = await Promise.all(
    Array.from({ length: INSTANCES }, () =>
      startFunction({ FIRESTORE_EMULATOR_HOST: far.address }, AS_IN_512_MIB),
    ),
  );
  for (const instance of instances) world.atEnd(() => instance.end());
  await Promise.all(instances.map(({ listens }) => listens));
  const urls = instances.map(({ url }) => url);
  const urlOf = (index: number): string => urls[index] ?? '';
  const visitors = await meetVisitors(world, urlOf(0));

  const ask = (way: Way, { kind, who, draw }: Omit<Planned, 'at'>): Promise<void> => {
    let asked = 0;
    // A charge's second request comes to another instance than its first one, where it comes to any.
    const url = (): string => {
      const there = { who, draw: (draw + 0.6 * asked) % 1 };
      asked += 1;
      return urlOf(instanceFor(there, way.routing, way.instances));
    };
    return askAs(visitors, { kind, who }, url, way.carries);
  };
  const consumeInTurn = (way: Way, connections: number, operations: number): Promise<Sample> =>
    measure({ connections, operations }, (who) => ask(way, { kind: 'consume', who, draw: Math.random() }));
  const fleet: Omit<Fleet, 'perSecond'> = {
    instances,
    far,
    visitors,
    async leadIn(way) {
      if (!way.carries) await consumeInTurn(way, 16, VISITORS);
    },
    async play(way, plan) {
      await far.takeCalls();
      const times = plan.map(({ at }) => at);
      const answered = await openLoop(times, async (index) => {
        const planned = plan[index];
        if (planned !== undefined) await ask(way, planned);
      });
      return { ...answered, plan, calls: await far.takeCalls() };
    },
    press: consumeInTurn,
  };
  await far.setDistance(DISTANCE_MS);
  // As in instances that have been running: by then V8 has compiled what it runs often.
  await fleet.press(STICKY, PRESSED.connections, 1_500 * INSTANCES);
  const { perSecond } = await fleet.press(STICKY, PRESSED.connections, PRESSED.operations);
  return { ...fleet, perSecond: rateFor(perSecond) };
}

/** How many requests of a load that should have so many there is time for. */
export const countWithin = (wanted: number, perSecond: number): number =>
  Math.ceil(Math.min(wanted, perSecond * MOST_SECONDS));

/** @param most what the instances take at most, in requests a second */
export function rateFor(most: number): number {
  return Math.max(RATES.least, Math.min(RATES.most, Math.round((LOAD * most) / 10) * 10));
}

/** Subscribers with a pack: their records are those that the service itself writes. */
async function meetVisitors({ firestore }: World, url: string): Promise<Visitors> {
  const users = await signUpOnly(VISITORS);
  const poor = await signUpOnly(POOR);
  const key = await newKey(firestore);
  await Promise.all(poor.map(({ uid }) => giveCredits(firestore, uid, 0)));
  const { failures } = await measure({ connections: 16, operations: VISITORS }, async (n) => {
    const { uid } = pick(users, n);
    await deliver(url, planBegins(uid));
    await deliver(url, packComes(uid, PACK));
  });
  if (failures > 0) throw new Error(`${failures} of the visitors have no plan`);
  const charged = Array.from({ length: CHARGED }, () => asUid(`charged-${randomUUID()}`));
  await Promise.all(charged.map((uid) => giveCredits(firestore, uid)));
  return {
    users: users.map((user) => ({ ...user, version: '', lastKey: '', periods: 0 })),
    charged: charged.map((uid) => ({ uid, version: '' })),
    poor,
    key,
  };
}
