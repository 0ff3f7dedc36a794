import type { Millis } from '@extension-billing/contract/customer';
import { type Job, RUN_LASTS, takeJob } from '../store/jobs.ts';
import { ComparisonState, compareOn, NOT_BEGUN, type PassName, type Summary } from './comparison.ts';
import { Look } from './look.ts';
import type { CheckDeps } from './user.ts';

/** A page that began before that is not ended after this, for the same reason. */
const LATEST: Millis = 28 * 60 * 1000;

export const COMPARISON: Job<ComparisonState> = {
  name: 'reconcile',
  schema: ComparisonState,
  first: NOT_BEGUN,
};

/**
 * A piece of the comparison, each hour: goes on where the last one ended, and repairs what differs, as
 * `npx billing reconcile --apply` does, since each day of a lost event keeps somebody out who has paid, or lets somebody
 * in who has not, and what the clock has ended is written nowhere else. It logs one summary: a warning when something
 * differed, was not delivered or could not be looked at, so that an alert on the log's severity is enough to hear of it.
 * That it goes on later is no warning.
 *
 * @returns null where another process is at it
 */
export async function checkDaily(deps: CheckDeps): Promise<Summary | null> {
  const held = await takeJob(deps.firestore, COMPARISON, deps.now);
  if (held === null) return null;
  const begun = deps.now();
  // What an outage left must not keep everybody else from being looked at: it has half of the time.
  const mayGoOn = (pass: PassName): boolean =>
    deps.now() - begun < (pass === 'events' ? RUN_LASTS / 2 : RUN_LASTS);
  const look = new Look(deps, {
    ...{ apply: true, undeliveredOnly: false, onDifferent: () => {} },
    until: begun + LATEST,
  });
  try {
    const summary = await compareOn(look, held, { mayGoOn });
    const { undelivered, ...counts } = summary;
    const isClean = counts.differing + counts.failed + undelivered.found === 0;
    const fields = { ...counts, undelivered: undelivered.found };
    if (isClean) deps.log.info('reconcile_summary', fields);
    else deps.log.warn('reconcile_summary', fields);
    return summary;
  } finally {
    await held.release();
  }
}
