import * as v from 'valibot';
import {
  ComparisonState,
  compareOn,
  NOT_BEGUN,
  type PassName,
} from '../../../../functions/src/reconcile/comparison.ts';
import { Look, reconcileUser } from '../../../../functions/src/reconcile/look.ts';
import type { CheckDeps } from '../../../../functions/src/reconcile/user.ts';
import type { Uid } from '../../../../functions/src/store/documents.ts';
import { connect, type StoreName } from '../support/connect.ts';
import { DIFFERENCE_HEADING, describeDifference, formatTable, rowFormatter } from '../support/describe.ts';
import { type Progress, startProgress } from '../support/progress.ts';
import { howToGoOn, openResume, type Resume, STOPPED, untilStopped } from '../support/resume.ts';
import { adoptCustomers } from './adopt.ts';

interface Asked {
  /** One user; null for all. */
  readonly uid: Uid | null;
  readonly apply: boolean;
  readonly rebuild: boolean;
  /** Go on with a run that was stopped. */
  readonly resume: boolean;
  readonly project: string | undefined;
}

/**
 * Compares with the provider. What differs is printed as it is found.
 *
 * @returns 0 when nothing differs (any more), 1 when something does, 2 when it is unknown, 130 when it was stopped
 */
export async function reconcile(asked: Asked): Promise<number> {
  const { deps, name: where, store } = await connect(asked.project, process.env);
  const { uid, apply } = asked;
  console.log(`${apply ? 'Repairing' : 'Comparing (nothing is written)'}: ${where}\n`);
  return uid === null ? reconcileAll(deps, { ...asked, store }) : reconcileOne(deps, asked, uid);
}

async function reconcileOne(deps: CheckDeps, { apply, rebuild }: Asked, uid: Uid): Promise<number> {
  const { unknown } = rebuild ? await adoptCustomers(deps, uid, apply) : { unknown: 0 };
  if (rebuild) console.log(describeAdopted(unknown, apply));
  const { differences, left } = await reconcileUser(deps, uid, apply);
  const rows = differences.map((difference) => [uid, ...describeDifference(difference)]);
  if (rows.length > 0) console.log(`${formatTable(['user', ...DIFFERENCE_HEADING], rows)}\n`);
  return finish(apply, differences.length, left.length + (apply ? 0 : unknown));
}

const Totals = v.object({
  /** Customers that were not known here. */
  unknown: v.number(),
  users: v.number(),
  accounts: v.number(),
  differing: v.number(),
  /** Differences that are there still. */
  left: v.number(),
  failed: v.number(),
  undelivered: v.number(),
  applied: v.number(),
});
type Totals = v.InferOutput<typeof Totals>;

/** How far a run is, and what it found so far. */
const RunState = v.object({
  adopted: v.object({ cursor: v.nullable(v.string()), isOver: v.boolean() }),
  comparison: ComparisonState,
  totals: Totals,
});
type RunState = v.InferOutput<typeof RunState>;

const BEGINNING: RunState = {
  adopted: { cursor: null, isOver: false },
  comparison: NOT_BEGUN,
  totals: {
    ...{ unknown: 0, users: 0, accounts: 0, differing: 0, left: 0 },
    ...{ failed: 0, undelivered: 0, applied: 0 },
  },
};

/** Everybody: streamed, and to be gone on with after a stop. */
export async function reconcileAll(
  deps: CheckDeps,
  { apply, rebuild, resume, project, store }: Omit<Asked, 'uid'> & { readonly store: StoreName },
): Promise<number> {
  const args = { store, apply, rebuild };
  const kept = openResume({ command: 'reconcile', args, schema: RunState }, resume);
  const begun = kept.state ?? BEGINNING;
  const { totals, finished, isStopped } = await untilStopped((stop) =>
    runAll(deps, { apply, rebuild }, begun, kept, stop),
  );
  console.log(describe(totals, apply));
  if (!finished) {
    const flags = [
      apply ? ' --apply' : '',
      rebuild ? ' --rebuild' : '',
      project ? ` --project ${project}` : '',
    ];
    console.log(howToGoOn(`reconcile${flags.join('')}`));
    return isStopped ? STOPPED : 2;
  }
  kept.done();
  const missed = apply ? totals.undelivered - totals.applied : totals.undelivered;
  const open = totals.left + missed + (apply ? 0 : totals.unknown);
  return totals.failed > 0 ? 2 : finish(apply, totals.differing, open);
}

/** Takes customers in where that is asked for, then goes on with the comparison until it is done or stopped. */
async function runAll(
  deps: CheckDeps,
  { apply, rebuild }: Pick<Asked, 'apply' | 'rebuild'>,
  begun: RunState,
  kept: Resume<RunState>,
  stop: AbortSignal,
): Promise<{ readonly totals: Totals; readonly finished: boolean; readonly isStopped: boolean }> {
  let state = begun;
  const keep = (change: Partial<RunState>): void => {
    state = { ...state, ...change };
    kept.save(state);
  };
  const shown = showProgress(await countAll(deps));
  if (rebuild && !state.adopted.isOver) {
    const before = state.totals.unknown;
    await adoptCustomers(deps, null, apply, state.adopted.cursor, (cursor, done, unknown) => {
      shown.report('adopted', done);
      const totals = { ...state.totals, unknown: before + unknown };
      keep({ adopted: { cursor, isOver: cursor === null }, totals });
      return !stop.aborted;
    });
    shown.end();
    if (!state.adopted.isOver) return { totals: state.totals, finished: false, isStopped: true };
    console.log(describeAdopted(state.totals.unknown, apply));
  }
  const format = rowFormatter(['user', ...DIFFERENCE_HEADING]);
  const { totals: before } = state;
  let left = 0;
  const look = new Look(deps, {
    apply,
    undeliveredOnly: true,
    onDifferent: (uid, differences, still) => {
      left += still.length;
      for (const difference of differences) shown.print(format([uid, ...describeDifference(difference)]));
    },
  });
  const place = {
    state: state.comparison,
    save: async (comparison: ComparisonState) => {
      keep({ comparison, totals: addTo(before, look, left) });
    },
  };
  const { finished } = await compareOn(look, place, {
    mayGoOn: () => !stop.aborted,
    once: true,
    onPage: (pass, { done }) => shown.report(pass, done),
  });
  shown.end();
  // Also where no page was gone through: what it prints is how to go on.
  if (!finished) keep({});
  return { totals: addTo(before, look, left), finished, isStopped: stop.aborted };
}

/** What was put off is of nobody yet: the run that goes on finds it again, or it is over by then. */
function addTo(before: Totals, { tally, putOff }: Look, left: number): Totals {
  return {
    unknown: before.unknown,
    users: before.users + tally.users,
    accounts: before.accounts + (tally.seen.records ?? 0),
    differing: before.differing + tally.differing,
    left: before.left + left,
    failed: before.failed + tally.failed - putOff.failed,
    undelivered: before.undelivered + tally.undelivered.found - putOff.notApplied,
    applied: before.applied + tally.undelivered.applied,
  };
}

type Part = PassName | 'adopted';

const WHAT: Readonly<Record<Part, string>> = {
  adopted: 'customers at the provider',
  events: 'events',
  subscriptions: 'subscriptions',
  facts: 'accounts with purchases',
  grants: 'grants by hand',
  records: 'accounts',
  customers: 'customers, with the provider',
};

/** How many there are of what each pass goes through, where the store can say so: a read for a thousand of them. */
async function countAll({ firestore }: CheckDeps): Promise<ReadonlyMap<Part, number>> {
  const collections = [
    ['facts', 'billing_facts'],
    ['grants', 'billing_audit'],
    ['records', 'customers'],
    ['customers', 'provider_customers'],
  ] as const;
  const counts = collections.map(async ([part, collection]) => {
    const { count } = (await firestore.collection(collection).count().get()).data();
    return [part, count] as const;
  });
  return new Map(await Promise.all(counts));
}

/** One line for the part that goes on. */
function showProgress(totals: ReadonlyMap<Part, number>) {
  let current: { readonly part: Part; readonly progress: Progress } | null = null;
  const end = (): void => {
    current?.progress.end();
    current = null;
  };
  return {
    report(part: Part, done: number): void {
      if (current?.part !== part) {
        end();
        current = { part, progress: startProgress(WHAT[part]) };
      }
      current.progress.report(done, totals.get(part) ?? null);
    },
    print: (line: string): void => (current === null ? console.log(line) : current.progress.print(line)),
    end,
  };
}

function describeAdopted(unknown: number, apply: boolean): string {
  return `${unknown} customers of users were not known here${apply ? ', until now' : ''}.\n`;
}

function describe(
  { users, accounts, differing, failed, undelivered, applied }: Totals,
  apply: boolean,
): string {
  return [
    `\n${users} users compared with the provider, and ${accounts} accounts in the store; ${differing} differ, ${failed} could not be compared.`,
    `${undelivered} events were not delivered${apply && undelivered > 0 ? `; ${applied} of them applied now` : ''}.`,
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
