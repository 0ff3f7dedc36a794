import type { CheckDeps } from './check-user.ts';
import { reconcileAll, type Summary } from './reconcile-all.ts';

/** Less than the function's own limit of half an hour, so that the summary is always logged. */
const WITHIN_MS = 25 * 60 * 1000;

/**
 * The daily check: repairs what differs, as `npm run reconcile -- --apply` does, since each day of a lost event keeps
 * somebody out who has paid, or lets somebody in who has not, and what the clock has ended is written nowhere else. It
 * logs one summary, a warning when something differed or was not delivered, so that an alert on the log's severity is
 * enough to hear of it.
 */
export async function checkDaily(deps: CheckDeps): Promise<Summary> {
  const summary = await reconcileAll(deps, {
    apply: true,
    within: WITHIN_MS,
    onDifferent: () => {},
  });
  const { undelivered, byKind, ...counts } = summary;
  const isClean = counts.differing + counts.failed + undelivered.found === 0 && counts.finished;
  const fields = { ...counts, byKind, undelivered: undelivered.found };
  if (isClean) deps.log.info('reconcile_summary', fields);
  else deps.log.warn('reconcile_summary', fields);
  return summary;
}
