import { consumeOn, floorOn } from './contenders.ts';
import { startFunction } from './instances.ts';
import { compare } from './measure.ts';
import type { Row } from './report.ts';
import { addBystanders, signUpUsers, type World } from './world.ts';

/** The first size of row (i) is this many users and nobody else. */
const FEWEST = 10;
const ALONE = { connections: 1, operations: 150 } as const;
/** More at once than users would meet each other. */
const TOGETHER = { connections: FEWEST, operations: 400 } as const;
const FLAT = 1.25;

interface Size {
  readonly customers: number;
  readonly p50: number;
  readonly perSecond: number;
  /** Of the plain transaction's in the same round. */
  readonly latency: number;
  readonly throughput: number;
}

/**
 * (i) Consume as the database grows, from ten customers on, each with a ledger entry. It empties the emulator's
 * database first and so comes last.
 */
export async function benchGrowth(world: World): Promise<readonly Row[]> {
  await emptyFirestore();
  const instance = await startFunction();
  try {
    await instance.listens;
    const users = await signUpUsers(world.firestore, FEWEST);
    const sizes: Size[] = [];
    let customers = FEWEST;
    for (const size of sizesUpTo(world.options.customers)) {
      await addBystanders(world.firestore, customers, size);
      customers = size;
      sizes.push(await measureAt(world, { ...instance, users }, size));
    }
    return sizes.map((size, n) => rowOf(size, sizes[0] ?? size, n === sizes.length - 1));
  } finally {
    await instance.end();
  }
}

async function measureAt(
  world: World,
  served: Parameters<typeof consumeOn>[0],
  customers: number,
): Promise<Size> {
  const { rounds } = world.options;
  const alone = await compare(rounds, {
    service: consumeOn(served, ALONE),
    floor: await floorOn(world.firestore, ALONE, FEWEST),
  });
  const together = await compare(rounds, {
    service: consumeOn(served, TOGETHER),
    floor: await floorOn(world.firestore, TOGETHER, FEWEST),
  });
  return {
    customers,
    p50: alone.typical('p50', 'service'),
    perSecond: together.typical('perSecond', 'service'),
    latency: alone.ratio('p50', 'service', 'floor'),
    throughput: together.ratio('perSecond', 'service', 'floor'),
  };
}

function rowOf(size: Size, first: Size, isLast: boolean): Row {
  const times = size.p50 / first.p50;
  const isFlat = times <= FLAT && size.perSecond * FLAT >= first.perSecond;
  return {
    row: 'i',
    what: `consume among ${size.customers.toLocaleString('en-US')} customers, of that among ${FEWEST}`,
    result: `p50 ${times.toFixed(2)}, throughput ${(size.perSecond / first.perSecond).toFixed(2)} (of the plain transaction's: p50 ${size.latency.toFixed(2)}, throughput ${size.throughput.toFixed(2)})`,
    aim: isLast ? `flat: p50 ≤ ${FLAT}, throughput ≥ ${1 / FLAT}` : '',
    met: isLast ? isFlat : null,
    figures: { ...size },
  };
}

/** The emulators' own way (https://firebase.google.com/docs/emulator-suite/connect_firestore). */
async function emptyFirestore(): Promise<void> {
  const { FIRESTORE_EMULATOR_HOST: host, GCLOUD_PROJECT: project } = process.env;
  const database = `http://${host}/emulator/v1/projects/${project}/databases/(default)/documents`;
  const answer = await fetch(database, { method: 'DELETE' });
  if (!answer.ok) throw new Error(`the emulator did not empty its database: ${answer.status}`);
}

/** Ten customers, a hundred times as many, and so on; the last is what was asked for. */
export function sizesUpTo(most: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = FEWEST; size < most; size *= 100) sizes.push(size);
  return [...sizes, Math.max(most, FEWEST)];
}
