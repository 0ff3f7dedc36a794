import fc from 'fast-check';
import type { History } from './action.ts';
import { anyHistory } from './any-history.ts';
import { anyJourney, arrivalsOf, type Journey } from './delivery.ts';
import { ModelStripe } from './model-stripe.ts';
import { playHistory } from './play-history.ts';
import { type RunCounts, runJourney } from './run-journey.ts';
import type { Service } from './service.ts';

/** A new service with nothing stored, that asks this provider. */
export type MakeService = (stripe: ModelStripe) => Service;

export interface ModelRun {
  readonly histories: number;
  /** Ways in which the events of one history travel. */
  readonly journeysEach: number;
  readonly seed: number;
  /** Where a failing case stands, as fast-check printed it. */
  readonly path?: string;
}

export interface ModelReport extends RunCounts {
  histories: number;
  journeys: number;
  changes: number;
  /** What failed, smallest case first found by shrinking, with the seed that replays it; null where all held. */
  failure: string | null;
}

interface Case {
  readonly history: History;
  readonly journeys: readonly Journey[];
}

/**
 * The property of the whole model: any order of arrival, with repeated and twin events, interleaved with
 * consumes, keeps the stored state what the truth makes it after every single step.
 */
export async function checkModel(makeService: MakeService, run: ModelRun): Promise<ModelReport> {
  const report: ModelReport = {
    histories: 0,
    journeys: 0,
    changes: 0,
    deliveries: 0,
    retries: 0,
    crashes: 0,
    consumes: 0,
    gets: 0,
    failure: null,
  };
  const anyCase: fc.Arbitrary<Case> = fc.record({
    history: anyHistory(),
    journeys: fc.array(anyJourney, {
      minLength: run.journeysEach,
      maxLength: run.journeysEach,
      size: 'max',
    }),
  });
  const property = fc.asyncProperty(anyCase, async ({ history, journeys }) => {
    const provider = playHistory('ada', history);
    report.histories += 1;
    report.changes += provider.changes.length;
    for (const journey of journeys) {
      const stripe = new ModelStripe();
      const arrivals = arrivalsOf(provider.uid, provider.changes, journey);
      const counts = await runJourney(makeService(stripe), stripe, provider, arrivals);
      report.journeys += 1;
      report.deliveries += counts.deliveries;
      report.retries += counts.retries;
      report.crashes += counts.crashes;
      report.consumes += counts.consumes;
      report.gets += counts.gets;
    }
  });
  const details = await fc.check(property, {
    numRuns: run.histories,
    seed: run.seed,
    ...(run.path !== undefined && { path: run.path, endOnFailure: true }),
  });
  if (details.failed) report.failure = explain(details);
  return report;
}

function explain(details: fc.RunDetails<[Case]>): string {
  const error = details.errorInstance;
  const history = details.counterexample?.[0].history ?? [];
  const actions = history.map(({ gap, action }) => `  +${gap} ms ${JSON.stringify(action)}`);
  return [
    `replay: npm run test:model -w functions -- --seed ${details.seed} --path ${details.counterexamplePath}`,
    `failed after ${details.numRuns} histories, shrunk ${details.numShrinks} times`,
    'history:',
    ...actions,
    error instanceof Error ? `${error.name} ${error.message}` : String(error),
    ...(error instanceof Error && error.name !== 'WrongState' ? [error.stack ?? ''] : []),
  ].join('\n');
}
