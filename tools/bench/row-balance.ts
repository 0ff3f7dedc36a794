import { compare, cpuOf, measure, ownCpu } from './measure.ts';
import type { Row } from './report.ts';
import { pick, send, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 300 },
  { connections: 32, operations: 1_000 },
] as const;
/** As in an instance that has been running: by then V8 has compiled what it runs often. */
const WARM_UP = { connections: 32, operations: 3_000 } as const;
const THROUGHPUT_AIM = 0.6;

/** (n) A balance through HTTP, many users, against the SDK's plain read of the same records. */
export async function benchBalance(world: World): Promise<readonly Row[]> {
  const { url, pid, users } = await world.direct();
  const service = async (n: number): Promise<void> => {
    const headers = { authorization: `Bearer ${pick(users, n).idToken}` };
    await send(`${url}/credits/balance`, { headers });
  };
  const floor = async (n: number): Promise<void> => {
    await world.firestore.doc(`customers/${pick(users, n).uid}`).get();
  };
  await measure(WARM_UP, service);
  await measure(WARM_UP, floor);

  const rows: Row[] = [];
  for (const load of LOADS) {
    const compared = await compare(world.options.rounds, {
      service: () => measure(load, service, () => cpuOf(pid)),
      floor: () => measure(load, floor, ownCpu),
    });
    const ratio = (figure: 'perSecond' | 'p50' | 'cpu') => compared.ratio(figure, 'service', 'floor');
    const [throughput, latency, cpu] = [ratio('perSecond'), ratio('p50'), ratio('cpu')];
    const isAimed = load.connections === 32;
    rows.push({
      row: 'n',
      what: `balance, ${load.connections} at a time, of a plain read's`,
      result: `throughput ${throughput.toFixed(2)}, p50 ${latency.toFixed(2)}, CPU ${cpu.toFixed(2)} (${compared.typical('p50', 'service').toFixed(1)} ms, ${compared.typical('perSecond', 'service').toFixed(0)}/s, ${compared.failures()} failed)`,
      aim: isAimed ? `throughput ≥ ${THROUGHPUT_AIM}` : '',
      met: isAimed ? throughput >= THROUGHPUT_AIM && compared.failures() === 0 : null,
      figures: { throughput, latency, cpu, failures: compared.failures(), samples: compared.samples },
    });
  }
  return rows;
}
