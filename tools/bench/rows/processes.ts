import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { asUid } from '../../../functions/test/fixtures/as-uid.ts';
import { median } from '../measure.ts';
import type { Row } from '../report.ts';
import type { Order, Outcome } from '../servers/spender.ts';
import { giveCredits } from '../users.ts';
import type { World } from '../world.ts';

const EACH = 20;
const ROUNDS = 5;
const ATTEMPTS_AIM = 12;
const spender = fileURLToPath(new URL('../servers/spender.ts', import.meta.url));

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
  for (let round = 0; round < ROUNDS; round += 1) {
    const uid = asUid(`processes-${randomUUID()}`);
    await giveCredits(firestore, uid, wanted);
    proxy.calls.length = 0;
    const started = performance.now();
    const granted = await Promise.all(children.map((child) => spend(child, { uid, count: EACH })));
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

async function spend(child: ChildProcess, order: Order): Promise<number> {
  const answered = once(child, 'message');
  child.send(order);
  const [outcome] = (await answered) as [Outcome];
  return outcome.granted;
}
