import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Firestore } from 'firebase-admin/firestore';
import { commitCredits } from '../../functions/src/credits/commit.ts';
import { asUid } from '../../functions/test/fixtures/as-uid.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { sold } from '../../packages/cli/src/local/sold.ts';
import { consumePlainly } from './contenders.ts';
import { median } from './measure.ts';
import type { Row } from './report.ts';
import type { Order, Outcome } from './spender.ts';
import { giveCredits, type World } from './world.ts';

const ROUNDS = 3;

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
      const isFifty = size === 50;
      rows.push({
        row: 'b',
        what: `${size} at once on one user, of one instance`,
        result: `${commits} commits, ${calls} calls, ${failures} failed, ${ms.toFixed(0)} ms${plain === null ? '' : besides(plain)}`,
        aim: isFifty ? '0 failed, ≤ 2 commits, ≤ 3 calls' : '0 failed',
        met: failures === 0 && (!isFifty || (commits <= 2 && calls <= 3)),
        figures: { ours, plain },
      });
    }
    return rows;
  } finally {
    await client.terminate();
  }
}

/** The emulator locks what a transaction has read and others wait; Firestore's own times would be others. */
const besides = ({ ms, commits, failures }: Burst): string =>
  ` (as plain transactions ${commits} commits, ${failures} failed, and ${ms.toFixed(0)} ms by the emulator's locks)`;

async function spend(firestore: Firestore, uid: string): Promise<void> {
  const command = { kind: 'consume', key: randomUUID(), feature: sold.feature, cost: 1 } as const;
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

const EACH = 20;
const PROCESS_ROUNDS = 5;
const ATTEMPTS_AIM = 12;
const spender = fileURLToPath(new URL('./spender.ts', import.meta.url));

/** (c) Three and four processes on one user, 20 at once from each. */
export async function benchProcesses(world: World): Promise<readonly Row[]> {
  const env = { ...process.env, FIRESTORE_EMULATOR_HOST: world.proxy.address };
  const children = Array.from({ length: 4 }, () => fork(spender, { env }));
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
    return [await together(world, children.slice(0, 3)), await together(world, children)];
  } finally {
    for (const child of children) child.kill();
  }
}

async function together({ firestore, proxy }: World, children: readonly ChildProcess[]): Promise<Row> {
  const wanted = EACH * children.length;
  const rounds: { ms: number; attempts: number; failures: number; isLedgerRight: boolean }[] = [];
  for (let round = 0; round < PROCESS_ROUNDS; round += 1) {
    const uid = asUid(`processes-${randomUUID()}`);
    await giveCredits(firestore, uid, wanted);
    proxy.calls.length = 0;
    const started = performance.now();
    const granted = await Promise.all(children.map((child) => spendFrom(child, { uid, count: EACH })));
    const ms = performance.now() - started;
    const attempts = proxy.calls.filter((call) => call === 'Commit').length;
    const left = (await firestore.doc(`customers/${uid}`).get()).get('creditsRemaining');
    const entries = (await firestore.collection(`customers/${uid}/credit_ledger`).count().get()).data().count;
    const failures = wanted - granted.reduce((sum, one) => sum + one, 0);
    rounds.push({
      ms,
      attempts,
      failures,
      isLedgerRight: left === failures && entries === wanted - failures,
    });
  }
  const attempts = median(rounds.map((round) => round.attempts));
  const worst = Math.max(...rounds.map((round) => round.attempts));
  const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
  const wrong = rounds.filter((round) => !round.isLedgerRight).length;
  const ms = median(rounds.map((round) => round.ms));
  const isThree = children.length === 3;
  return {
    row: 'c',
    what: `${children.length} processes × ${EACH} at once on one user`,
    result: `${attempts} commit attempts (most ${worst}), ${failures} failed, ${ms.toFixed(0)} ms, ${wrong} rounds with a wrong ledger`,
    aim: isThree ? `0 failed, ≤ ${ATTEMPTS_AIM} commit attempts` : '0 failed',
    met: failures === 0 && wrong === 0 && (!isThree || worst <= ATTEMPTS_AIM),
    figures: { rounds },
  };
}

async function spendFrom(child: ChildProcess, order: Order): Promise<number> {
  const answered = once(child, 'message');
  child.send(order);
  const [outcome] = (await answered) as [Outcome];
  return outcome.granted;
}
