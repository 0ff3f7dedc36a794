import type { CheckDeps } from './check-user.ts';
import { reconcileAll, type Summary } from './reconcile-all.ts';

/** Less than the function's own limit of half an hour, so that the summary is always logged. */
const WITHIN_MS = 25 * 60 * 1000;

/**
 * The daily check: looks, writes nothing here, and logs one summary. One thing it does at the provider, since each day
 * may charge somebody: a subscription beside a lifetime plan is ended, where the webhook could not. It is a warning when something differs or was not
 * delivered, so that an alert on the log's severity is enough to hear of it; `npm run reconcile` shows and mends.
 */
export async function checkDaily(deps: CheckDeps): Promise<Summary> {
  const summary = await reconcileAll(deps, {
    apply: false,
    endBesideLifetime: true,
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
