import { ConfigError, readLedgerDays } from '../../../../functions/src/config.ts';
import { type Compaction, compactAll, roundBefore } from '../../../../functions/src/ledger/all.ts';
import { readParameters } from '../local/parameters.ts';
import { Refusal } from '../local/refusal.ts';
import { ROOT } from '../local/suite.ts';
import { connectBooks } from '../support/connect.ts';
import { describeTime } from '../support/describe.ts';
import { startProgress } from '../support/progress.ts';
import { STOPPED, untilStopped } from '../support/resume.ts';

/**
 * Goes on with the month's round over the ledgers, as the scheduled function does, until it is through or stopped: the
 * database knows how far it is, for both.
 *
 * @returns 0; 1 where ledgers could not be rolled, or another run is at it; STOPPED after Ctrl-C
 * @throws Refusal
 */
export async function compact(project: string | undefined): Promise<number> {
  const days = daysOf(project);
  const { firestore, name } = await connectBooks(project, process.env);
  const total = (await firestore.collection('customers').count().get()).data().count;
  const progress = startProgress('users');
  const done = await untilStopped((stop) =>
    compactAll(
      {
        firestore,
        now: Date.now,
        log: { error: (_event, fields) => progress.print(`failed: ${describe(fields)}`) },
      },
      {
        days,
        again: true,
        mustStop: () => stop.aborted,
        onProgress: ({ users }) => progress.report(users, total),
      },
    ),
  );
  progress.end();
  console.log(`${name}\n${describeDone(done, days)}`);
  if (done === 'held') return 1;
  if (done === 'idle' || (done.finished && done.failed === 0)) return 0;
  return done.finished ? 1 : STOPPED;
}

function describe({ error, code }: { readonly error?: unknown; readonly code?: unknown } = {}): string {
  return [error, code].filter((part) => part !== undefined).join(' ');
}

function describeDone(done: Compaction, days: number): string {
  if (done === 'held') return 'Another run is at it: the scheduled function, or another terminal.';
  if (done === 'idle') {
    const before = roundBefore(Date.now(), days);
    return before === null
      ? 'BILLING_LEDGER_DAYS is 0: every entry stays as it is.'
      : `Nothing to do: what is from before ${describeTime(before)} is in pages.`;
  }
  const { users, rolled, failed, finished } = done;
  const sum = `${users} users in this round, ${rolled} entries rolled${failed > 0 ? `, ${failed} users failed` : ''}`;
  return finished
    ? sum
    : `${sum}\nStopped. The same command goes on where it is, and so does the scheduled function.`;
}

/** By the function's own settings. @throws Refusal */
function daysOf(project: string | undefined): number {
  try {
    const deployed = project === undefined ? {} : readParameters(ROOT, project);
    return readLedgerDays({ ...deployed, ...process.env });
  } catch (error) {
    throw error instanceof ConfigError ? new Refusal(error.problems.join('\n')) : error;
  }
}
