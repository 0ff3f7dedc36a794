import { compare } from '../compare.ts';
import { measure } from '../measure.ts';
import { cpuOf, ownCpu } from '../process-usage.ts';
import type { Row } from '../report.ts';
import { send } from '../send.ts';
import { pick, type World } from '../world.ts';

/** (d) Balance through HTTP against a plain read of the same record in process. */
export async function benchBalance(world: World): Promise<readonly Row[]> {
  const { url, pid, users } = await world.direct();
  const rows: Row[] = [];
  for (const load of [
    { connections: 1, operations: 150 },
    { connections: 32, operations: 600 },
  ]) {
    const ask = async (n: number): Promise<void> => {
      const { idToken } = pick(users, n);
      await send(`${url}/credits/balance`, { headers: { authorization: `Bearer ${idToken}` } });
    };
    const read = async (n: number): Promise<void> => {
      await world.firestore.doc(`customers/${pick(users, n).uid}`).get();
    };
    const compared = await compare(world.options.rounds, {
      service: () => measure(load, ask, () => cpuOf(pid)),
      read: () => measure(load, read, ownCpu),
    });
    const throughput = compared.ratio('perSecond', 'service', 'read');
    const latency = compared.ratio('p50', 'service', 'read');
    rows.push({
      row: 'd',
      what: `balance, ${load.connections} at a time, of a plain read's`,
      result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)} (${compared.typical('p50', 'service').toFixed(1)} ms)`,
      aim: '',
      met: null,
      figures: { throughput, latency, failures: compared.failures(), samples: compared.samples },
    });
  }
  return rows;
}
