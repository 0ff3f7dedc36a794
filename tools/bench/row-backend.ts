import { randomUUID } from 'node:crypto';
import { getApps, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import catalog from '../../billing.config.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { createKey } from '../../packages/cli/src/keys/keys.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { type Billing, createBilling as overHttp } from '../../packages/server/src/exports/http.ts';
import { createBilling as inProcess } from '../../packages/server/src/exports/in-process.ts';
import { consumePlainly } from './contenders.ts';
import type { Instance } from './instances.ts';
import { compare, cpuOf, measure, median, ownCpu, type Sample } from './measure.ts';
import { type Row, ratiosOf } from './report.ts';
import { giveCredits, pick, USERS, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 150 },
  { connections: 32, operations: 600 },
] as const;
const WARM_UP = { connections: 32, operations: 1_500 } as const;
const ROUNDS = 3;
const AT_ONCE = 50;

/** (d) A backend's hold and settle, over HTTP and in its own process, against two plain transactions. */
export async function benchBackend(world: World): Promise<readonly Row[]> {
  const direct = await world.direct();
  const ways = { http: await httpTo(direct, world), process: inProcessOn(world.firestore) };
  // Nobody else writes a contender's users, or its memory of them would be stale.
  const own = async () => fundedUsers(world.firestore, USERS);
  const users = { http: await own(), process: await own(), floor: await own() };
  const holdAndSettle =
    (way: keyof typeof ways, load: (typeof LOADS)[number] | typeof WARM_UP, cpu: () => number | null) =>
    (): Promise<Sample> =>
      measure(load, (n) => chargeOnce(ways[way], pick(users[way], n)), cpu);
  const twoPlain =
    (load: (typeof LOADS)[number]): (() => Promise<Sample>) =>
    () =>
      measure(
        load,
        async (n) => {
          await consumePlainly(world.firestore, pick(users.floor, n));
          await consumePlainly(world.firestore, pick(users.floor, n));
        },
        ownCpu,
      );
  await holdAndSettle('http', WARM_UP, ownCpu)();
  await holdAndSettle('process', WARM_UP, ownCpu)();
  const rows: Row[] = [];
  for (const load of LOADS) {
    const compared = await compare(world.options.rounds, {
      http: holdAndSettle('http', load, () => cpuOf(direct.pid)),
      process: holdAndSettle('process', load, ownCpu),
      floor: twoPlain(load),
    });
    for (const [way, name] of [
      ['http', 'over HTTP'],
      ['process', 'in process'],
    ] as const) {
      const { ratios, words } = ratiosOf(compared, way, 'floor');
      rows.push({
        row: 'd',
        what: `a backend's hold and settle, ${name}, ${load.connections} at a time, of two plain transactions`,
        result: `${words} (${compared.typical('p50', way).toFixed(1)} ms, p90 ${compared.typical('p90', way).toFixed(1)} ms, ${compared.typical('perSecond', way).toFixed(0)}/s, ${compared.typical('cpu', way).toFixed(2)} ms CPU each)`,
        aim: '',
        met: null,
        figures: { ...ratios, failures: compared.failures(), samples: compared.samples },
      });
    }
  }
  return [...rows, ...(await benchAtOnce(world))];
}

/** 50 at once on one user who has credits for half of them: what is held is never more than what is there. */
async function benchAtOnce(world: World): Promise<readonly Row[]> {
  const behindProxy = await world.behindProxy();
  const client = clientThrough(world.proxy);
  const ways = [
    ['over HTTP', await httpTo(behindProxy, world)],
    ['in process', inProcessOn(client)],
  ] as const;
  try {
    const rows: Row[] = [];
    for (const [name, billing] of ways) {
      const rounds: { ms: number; charged: number; left: number; calls: number }[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const [uid = asUid('')] = await fundedUsers(world.firestore, 1, AT_ONCE / 2);
        world.proxy.calls.length = 0;
        const started = performance.now();
        const charged = await Promise.all(
          Array.from({ length: AT_ONCE }, () =>
            chargeOnce(billing, uid).then(
              () => 1,
              () => 0,
            ),
          ),
        );
        const ms = performance.now() - started;
        const left = Number((await world.firestore.doc(`customers/${uid}`).get()).get('creditsRemaining'));
        const sum = charged.reduce((all, one) => all + one, 0 as number);
        // The first round opens connections.
        if (round > 0) rounds.push({ ms, charged: sum, left, calls: world.proxy.calls.length });
      }
      const isExact = rounds.every(({ charged, left }) => charged === AT_ONCE / 2 && left === 0);
      rows.push({
        row: 'd',
        what: `${AT_ONCE} holds and settles at once on one user who can pay ${AT_ONCE / 2}, ${name}`,
        result: `${median(rounds.map(({ ms }) => ms)).toFixed(0)} ms, ${median(rounds.map(({ calls }) => calls))} calls to Firestore, ${isExact ? `${AT_ONCE / 2} charged` : 'NOT EXACT'}`,
        aim: `${AT_ONCE / 2} charged, nothing left`,
        met: isExact,
        figures: { rounds },
      });
    }
    return rows;
  } finally {
    await client.terminate();
  }
}

/** @throws where the credits were refused, so that it counts as a failure */
async function chargeOnce(billing: Billing, uid: string): Promise<void> {
  const hold = await billing.hold(uid, sold.feature);
  if (!hold.ok) throw new Error(hold.reason);
  const settled = await hold.settle({ amount: 1 });
  if (!settled.ok) throw new Error(settled.reason);
}

/** A backend of its own, with a key that may hold. */
export async function httpTo(
  { url }: Pick<Instance, 'url'>,
  { firestore }: Pick<World, 'firestore'>,
): Promise<Billing> {
  return overHttp({ url, key: await newKey(firestore) });
}

/** A key of a service that may hold. */
export async function newKey(firestore: Firestore): Promise<string> {
  let key = '';
  const desk = { firestore, now: () => Date.now(), say: () => {}, hand: (made: string) => (key = made) };
  await createKey(desk, { name: 'bench', scopes: ['hold'], lasts: null });
  return key;
}

function inProcessOn(firestore: Firestore): Billing {
  const app = getApps()[0] ?? initializeApp({ projectId: process.env.GCLOUD_PROJECT ?? '' });
  return inProcess({ firestore, auth: getAuth(app), catalog, name: 'bench' });
}

async function fundedUsers(firestore: Firestore, count: number, credits?: number) {
  const users = Array.from({ length: count }, () => asUid(`backend-${randomUUID()}`));
  await Promise.all(users.map((uid) => giveCredits(firestore, uid, credits)));
  return users;
}
