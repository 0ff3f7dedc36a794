import { randomUUID } from 'node:crypto';
import type { Firestore } from 'firebase-admin/firestore';
import { commitCredits } from '../../../functions/src/credits/commit.ts';
import { asUid } from '../../../functions/test/fixtures/as-uid.ts';
import { clientThrough } from '../../../functions/test/fixtures/client-through.ts';
import { consumePlainly } from '../floor.ts';
import { median } from '../measure.ts';
import type { Row } from '../report.ts';
import { giveCredits } from '../users.ts';
import type { World } from '../world.ts';

const ROUNDS = 3;
const FASTER_AIM = 200;

interface Burst {
  readonly ms: number;
  readonly failures: number;
  readonly commits: number;
  readonly calls: number;
}

/** (b) 50 and 500 at once on one user; the plain transaction only with 50, and once: it takes seconds. */
export async function benchOneUser(world: World): Promise<readonly Row[]> {
  const client = clientThrough(world.proxy);
  try {
    await burst(world, client, 1, spend);
    const rows: Row[] = [];
    for (const size of [50, 500]) {
      const ours: Burst[] = [];
      for (let round = 0; round < ROUNDS; round += 1) ours.push(await burst(world, client, size, spend));
      const ms = median(ours.map((one) => one.ms));
      const commits = Math.max(...ours.map((one) => one.commits));
      const calls = Math.max(...ours.map((one) => one.calls));
      const failures = ours.reduce((sum, one) => sum + one.failures, 0);
      const plain = size === 50 ? await burst(world, client, size, consumePlainly) : null;
      const faster = plain === null ? null : plain.ms / ms;
      const against =
        plain === null
          ? ''
          : `${faster?.toFixed(0)} times faster than the plain transaction (${plain.ms.toFixed(0)} ms, ${plain.commits} commits, ${plain.failures} failed); `;
      const enough = faster !== null && faster >= FASTER_AIM;
      rows.push({
        row: 'b',
        what: `${size} at once on one user`,
        result: `${against}${ms.toFixed(0)} ms, ${commits} commits, ${calls} calls, ${failures} failed`,
        aim: size === 50 ? `≥ ${FASTER_AIM} times, 0 failed, ≤ 2 commits, ≤ 3 calls` : '0 failed',
        met: size === 50 ? enough && failures === 0 && commits <= 2 && calls <= 3 : failures === 0,
        figures: { faster, ours, plain },
      });
    }
    return rows;
  } finally {
    await client.terminate();
  }
}

async function spend(firestore: Firestore, uid: string): Promise<void> {
  const command = { kind: 'consume', key: randomUUID(), feature: 'demo', cost: 1 } as const;
  const decision = await commitCredits(firestore, asUid(uid), command, Date.now());
  if (decision.kind !== 'granted') throw new Error(decision.kind);
}

async function burst(
  { firestore, proxy }: World,
  client: Firestore,
  size: number,
  one: (firestore: Firestore, uid: string) => Promise<void>,
): Promise<Burst> {
  const uid = asUid(`burst-${randomUUID()}`);
  await giveCredits(firestore, uid);
  proxy.calls.length = 0;
  const started = performance.now();
  const settled = await Promise.allSettled(Array.from({ length: size }, () => one(client, uid)));
  return {
    ms: performance.now() - started,
    failures: settled.filter(({ status }) => status === 'rejected').length,
    commits: proxy.calls.filter((call) => call === 'Commit').length,
    calls: proxy.calls.length,
  };
}
