import { compare } from '../compare.ts';
import { measure } from '../measure.ts';
import type { Row } from '../report.ts';
import { send } from '../send.ts';
import { pick, type World } from '../world.ts';

/** (d) Balance through HTTP against a plain read of the same record in process. */
export async function benchBalance(world: World): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const { connections, operations } of [
    { connections: 1, operations: 150 },
    { connections: 32, operations: 600 },
  ]) {
    const compared = await compare(3, {
      service: () =>
        measure(connections, operations, async (n) => {
          const { idToken } = pick(world.users, n);
          await send(`${world.direct.url}/credits/balance`, {
            headers: { authorization: `Bearer ${idToken}` },
          });
        }),
      read: () =>
        measure(connections, operations, async (n) => {
          await world.firestore.doc(`customers/${pick(world.users, n).uid}`).get();
        }),
    });
    const throughput = compared.ratio('perSecond', 'service', 'read');
    const latency = compared.ratio('p50', 'service', 'read');
    rows.push({
      row: 'd',
      what: `balance, ${connections} at a time, of a plain read's`,
      result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)}`,
      aim: '',
      met: null,
      figures: { throughput, latency, failures: compared.failures(), samples: compared.samples },
    });
  }
  return rows;
}
