// npm run reconcile [-- <uid>] [-- --apply] [-- --rebuild] [-- --project <id>]: where this service and the provider differ.
import type { Difference } from '../../../functions/src/domain/difference.ts';
import { parseUid } from '../../../functions/src/domain/uid.ts';
import { reconcileAll, reconcileUser, type Summary } from '../../../functions/src/reconcile/reconcile-all.ts';
import { parseWords } from '../../../tools/args.ts';
import { adoptCustomers } from './reconcile/adopt-customers.ts';
import { CannotConnect, connect } from './support/connect.ts';
import { DIFFERENCE_HEADING, describeDifference, formatTable } from './support/describe.ts';

const USAGE = `usage: npm run reconcile -- [<uid>] [--apply] [--rebuild] [--project <id>]
  <uid>      one user; without it all of them, and the events that the provider could not deliver
  --apply    write what differs (without it nothing is written)
  --rebuild  first take in the provider's customers that are not known here: after a loss of the database
  --project  a Firebase project of yours; without it the suite that runs on this machine`;

type Found = { readonly uid: string; readonly differences: readonly Difference[] };

/** Answers the exit status: 0 nothing differs (any more), 1 something does, 2 it could not be told. */
async function main(words: readonly string[]): Promise<number> {
  const flag = { type: 'boolean', default: false } as const;
  const options = { project: { type: 'string' }, apply: flag, rebuild: flag } as const;
  const { values, positionals } = parseWords(words, USAGE, { options, allowPositionals: true });
  const { apply, rebuild, project } = values;
  const [name, ...more] = positionals;
  const uid = name === undefined ? null : parseUid(name);
  if (more.length > 0 || (name !== undefined && uid === null)) throw new CannotConnect(USAGE);
  const { deps, name: where } = await connect(project, process.env);
  console.log(`${apply ? 'Repairing' : 'Comparing (nothing is written)'}: ${where}\n`);

  const unknown = rebuild ? await adoptCustomers(deps, uid, apply) : new Set();
  if (rebuild) {
    console.log(
      `${unknown.size} users have a customer that was not known here${apply ? ', until now' : ''}.\n`,
    );
  }
  const missing = apply ? 0 : unknown.size;
  if (uid !== null) {
    const { differences, left } = await reconcileUser(deps, uid, apply);
    print([{ uid, differences }]);
    return finish(apply, differences.length, left.length + missing);
  }
  const found: Found[] = [];
  let open = 0;
  const summary = await reconcileAll(deps, {
    apply,
    within: Number.POSITIVE_INFINITY,
    onDifferent: (user, differences, left) => {
      found.push({ uid: user, differences });
      open += left.length;
    },
  });
  print(found);
  console.log(describe(summary, apply));
  const missed = apply ? summary.undelivered.failed : summary.undelivered.found;
  return summary.failed > 0 ? 2 : finish(apply, summary.differing, open + missed + missing);
}

function print(found: readonly Found[]): void {
  const rows = found.flatMap(({ uid, differences }) =>
    differences.map((difference) => [uid, ...describeDifference(difference)]),
  );
  if (rows.length > 0) console.log(`${formatTable(['user', ...DIFFERENCE_HEADING], rows)}\n`);
}

function describe({ users, differing, failed, undelivered }: Summary, apply: boolean): string {
  const missed = undelivered.found;
  return [
    `${users} users compared, ${differing} differ, ${failed} could not be compared.`,
    `${missed} events were not delivered${apply && missed > 0 ? `; ${undelivered.applied} of them applied now` : ''}.`,
  ].join('\n');
}

function finish(apply: boolean, differing: number, left: number): number {
  if (left === 0) {
    console.log(differing > 0 ? 'All of it is repaired.' : 'Nothing differs.');
    return 0;
  }
  console.log(
    apply ? 'Some of it needs a person; see "repair".' : 'Run it again with --apply to write what differs.',
  );
  return 1;
}

main(process.argv.slice(2)).then(
  (status) => process.exit(status),
  (error: unknown) => {
    console.error(error instanceof CannotConnect ? error.message : error);
    process.exit(2);
  },
);
