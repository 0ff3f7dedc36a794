import fc from 'fast-check';
import type { History } from './action.ts';
import { anyHistory } from './any-history.ts';
import { type Arrival, anyJourney, arrivalsOf, type Journey } from './delivery.ts';
import { ModelStripe } from './model-stripe.ts';
import { type Look, play } from './play.ts';
import { playHistory } from './play-history.ts';
import type { ProviderModel } from './provider-model.ts';
import { runCrowd } from './run-crowd.ts';
import { type RunCounts, runJourney } from './run-journey.ts';
import type { DelayableService } from './service.ts';

/** A new service with nothing stored, that asks this provider. */
export type MakeService = (stripe: ModelStripe) => DelayableService;

export interface ModelRun extends Look {
  /** Ways in which the events of one history travel. */
  readonly journeysEach: number;
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
  /** Sizes of the crowds in which the last journey's arrivals come, and what their calls wait for. */
  readonly crowds: readonly number[];
  readonly delays: readonly number[];
}

/**
 * The property of the whole model: any order of arrival, with repeated and twin events, interleaved with
 * consumes and reservations, keeps the stored state what the truth makes it after every single step.
 */
export async function checkModel(makeService: MakeService, run: ModelRun): Promise<ModelReport> {
  const report: ModelReport = {
    histories: 0,
    journeys: 0,
    changes: 0,
    deliveries: 0,
    retries: 0,
    crashes: 0,
    requests: 0,
    gets: 0,
    failure: null,
  };
  const anyCase: fc.Arbitrary<Case> = fc.record({
    history: anyHistory(undefined, run.opening),
    journeys: fc.array(anyJourney, {
      minLength: run.journeysEach,
      maxLength: run.journeysEach,
      size: 'max',
    }),
    crowds: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 4 }),
    delays: fc.array(fc.nat(6), { minLength: 12, maxLength: 12 }),
  });
  const property = fc.asyncProperty(anyCase, async ({ history, journeys, crowds, delays }) => {
    const provider = playHistory('ada', history);
    report.histories += 1;
    report.changes += provider.changes.length;
    for (const [index, journey] of journeys.entries()) {
      const stripe = new ModelStripe();
      const service = makeService(stripe);
      const arrivals = arrivalsOf(provider.uid, provider.changes, journey);
      const isCrowd = index === journeys.length - 1 && journeys.length > 1;
      const counts = isCrowd
        ? await crowd(service, stripe, provider, arrivals, { crowds, delays })
        : await runJourney(service, stripe, provider, arrivals, journey.look);
      report.journeys += 1;
      report.deliveries += counts.deliveries;
      report.retries += counts.retries;
      report.crashes += counts.crashes;
      report.requests += counts.requests;
      report.gets += counts.gets;
    }
  });
  report.failure = await play('events', property, run, ({ history }) => [
    'history:',
    ...history.map(({ gap, action }) => `  +${gap} ms ${JSON.stringify(action)}`),
  ]);
  return report;
}

/** The last journey of a history comes in crowds, half of them without requests, at a database with delays. */
async function crowd(
  service: DelayableService,
  stripe: ModelStripe,
  provider: ProviderModel,
  arrivals: readonly Arrival[],
  { crowds, delays }: Pick<Case, 'crowds' | 'delays'>,
): Promise<RunCounts> {
  const withRequests = (crowds[0] ?? 0) % 2 === 0;
  const chosen = withRequests ? arrivals : arrivals.filter(({ kind }) => kind === 'event');
  let turn = 0;
  const wait = async (): Promise<void> => {
    turn += 1;
    for (let left = delays[turn % delays.length] ?? 0; left > 0; left -= 1) await Promise.resolve();
  };
  stripe.mood = 'slow';
  stripe.wait = wait;
  service.delayBy(wait);
  return runCrowd(service, stripe, provider, chosen, crowds, wait);
}
