import { reconcileAll, reconcileUser, type Summary } from '../../../../functions/src/reconcile/all.ts';
import type { Difference } from '../../../../functions/src/reconcile/compare.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import { parseUid, paths, type Uid } from '../../../../functions/src/store/documents.ts';
import { readMetadata } from '../../../../functions/src/stripe/fields.ts';
import { connect } from '../support/connect.ts';
import { DIFFERENCE_HEADING, describeDifference, formatTable } from '../support/describe.ts';

type Found = { readonly uid: string; readonly differences: readonly Difference[] };

interface Asked {
  /** One user; null for all. */
  readonly uid: Uid | null;
  readonly apply: boolean;
  readonly rebuild: boolean;
  readonly project: string | undefined;
}

/** Compares with the provider. @returns 0 when nothing differs (any more), 1 when something does, 2 when it is unknown. */
export async function reconcile({ uid, apply, rebuild, project }: Asked): Promise<number> {
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
    granted: rebuild,
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

/**
 * Finds the provider's customers that name a user in their metadata, as checkout writes it, and that this service
 * does not know: after a loss of the database, all of them. With `apply` it takes them in, and a comparison then finds
 * what they bought.
 *
 * @param only one user's; null for everybody's
 * @returns the users whose customers were not known
 */
export async function adoptCustomers(
  deps: CheckDeps,
  only: Uid | null,
  apply: boolean,
): Promise<ReadonlySet<Uid>> {
  const stripe = await deps.stripe();
  const unknown = new Set<Uid>();
  for await (const { id, metadata } of stripe.customers.list({ limit: 100 })) {
    const uid = parseUid(readMetadata(metadata).uid);
    if (uid === null || (only !== null && uid !== only)) continue;
    const customer = paths.providerCustomer(deps.firestore, id);
    if ((await customer.get()).exists) continue;
    unknown.add(uid);
    if (apply) await customer.create({ uid });
  }
  return unknown;
}
