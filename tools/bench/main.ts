// npm run bench: latency of the main requests under an open-loop load, beside one bare Firestore commit.
import { randomInt } from 'node:crypto';
import { cpus, loadavg } from 'node:os';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { parseArgs } from '../args.ts';
import { endAfterWords } from '../suite/run-command.ts';
import { bareCommits } from './bare-commit.ts';
import { buildBundle, startDistance, startInstance } from './instances.ts';
import { type Latencies, openLoop } from './open-loop.ts';
import { ask, createUsers, KINDS } from './requests.ts';

const USAGE = `usage: npm run bench -- [--only consume,webhook] [--instances 1,4] [--seconds 20] [--rate N]
                        [--distance 10]

Measures latency under an open-loop load and prints a table (docs/performance.md says how to read it).
--only       these requests: ${KINDS.join(', ')} (default: all)
--instances  numbers of instances; requests go to a random one (default 1,4)
--seconds    length of each load (default 20)
--rate       requests a second of each load (default 100; 20 for checkouts)
--distance   milliseconds that each call to Firestore is delayed (default 10)`;

const USERS = 256;
/** Few at once: an instance refuses checkouts beyond those that it may have open at Stripe. */
const WARM_UP_AT_ONCE = 8;
/** A p99 of fewer samples depends on a handful of requests. */
const ENOUGH_FOR_P99 = 1_000;
/** Each user may open ten checkouts a minute. */
const CHECKOUTS_PER_SECOND = 20;

const { values } = parseArgs(process.argv.slice(2), USAGE, {
  options: {
    only: { type: 'string', default: KINDS.join(',') },
    instances: { type: 'string', default: '1,4' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string' },
    distance: { type: 'string', default: '10' },
  },
});
const kinds = KINDS.filter((kind) => values.only.split(',').includes(kind));
const fleets = values.instances.split(',').map(Number);
const [seconds, distance] = [Number(values.seconds), Number(values.distance)];
const rate = values.rate === undefined ? null : Number(values.rate);
const positive = [...fleets, seconds, ...(rate === null ? [] : [rate])];
if (kinds.length === 0 || !positive.every((number) => number > 0) || !(distance >= 0)) {
  console.error(USAGE);
  process.exit(2);
}
endAfterWords(process.env);

const load = (perSecond: number) => ({ perSecond, count: Math.ceil(perSecond * seconds) });
const before = loadavg().map((average) => average.toFixed(2));
await buildBundle();
const proxy = await startDistance(distance);
const instances = await Promise.all(
  Array.from({ length: Math.max(...fleets) }, () => startInstance(proxy.ready)),
);
const users = await createUsers(instances[0]?.url ?? '', USERS);
const table: Record<string, string | number>[] = [];

const commit = await bareCommits(clientThrough({ address: proxy.ready }), USERS);
await measure('bare commit', 0, rate ?? 100, commit);
for (const kind of kinds) {
  for (const size of fleets) {
    await measure(kind, size, rate ?? (kind === 'checkout' ? CHECKOUTS_PER_SECOND : 100), async (index) => {
      const [instance, user] = [instances[randomInt(size)], users[index % USERS]];
      if (instance !== undefined && user !== undefined) await ask(instance.url, kind, user);
    });
  }
}
console.log(
  `${new Date().toISOString()}, ${cpus().length} × ${cpus()[0]?.model}, Node ${process.versions.node},`,
  `load averages before ${before.join(', ')}, ${distance} ms to Firestore`,
);
console.table(table);
for (const { end } of [proxy, ...instances]) end();
process.exit();

/** Runs an operation uncounted first, until V8 has compiled it and connections are open, then under load. */
async function measure(
  name: string,
  size: number,
  perSecond: number,
  operation: (index: number) => Promise<void>,
): Promise<void> {
  const warmUp = name === 'checkout' ? USERS : 4 * USERS;
  for (let from = 0; from < warmUp; from += WARM_UP_AT_ONCE) {
    await Promise.allSettled(Array.from({ length: WARM_UP_AT_ONCE }, (_, n) => operation(from + n)));
  }
  const latencies = await openLoop(load(perSecond), operation);
  table.push(rowOf(name, size, perSecond, latencies));
  if (latencies.failed > 0) console.error(`bench: ${name}: the first failure:`, latencies.firstError);
}

function rowOf(name: string, size: number, perSecond: number, latencies: Latencies) {
  const { p50, p90, p99, answered, failed } = latencies;
  return {
    request: name,
    instances: size === 0 ? '' : size,
    'a second': perSecond,
    answered,
    failed,
    'p50 (ms)': p50.toFixed(1),
    'p90 (ms)': p90.toFixed(1),
    'p99 (ms)': answered < ENOUGH_FOR_P99 ? '–' : p99.toFixed(1),
  };
}
