import { PLAN } from '@extension-billing/contract/test/catalog';
import fc from 'fast-check';
import type { Action } from './action.ts';
import type { Arrival } from './delivery.ts';
import { ModelStripe } from './model-stripe.ts';
import { type Look, play } from './play.ts';
import { playHistory } from './play-history.ts';
import type { MakeService } from './property.ts';
import { runCrowd } from './run-crowd.ts';

interface Race {
  readonly times: number;
  /** Microtasks before each delivery sets out. */
  readonly starts: readonly number[];
  /** Microtasks that each answer of the provider is on its way. */
  readonly answers: readonly number[];
}

const anyRace: fc.Arbitrary<Race> = fc.record({
  times: fc.integer({ min: 1, max: 3 }),
  starts: fc.array(fc.nat(120), { minLength: 12, maxLength: 12, size: 'max' }),
  answers: fc.array(fc.nat(120), { minLength: 6, maxLength: 6, size: 'max' }),
});

/**
 * Narrow races that the wide model hits too seldom: a subscription is cancelled, or a change of its plan is planned, and
 * taken back within one second, the deliveries overlap, and answers of the provider are long on their way while it goes
 * on. Answers the first failure, or null where every race ends as the truth says.
 */
export async function failureOfRaces(
  makeService: MakeService,
  look: Look,
  over: 'its end' | 'its plan' = 'its end',
): Promise<string | null> {
  const property = fc.asyncProperty(anyRace, async ({ times, starts, answers }) => {
    const begins: Action = { do: 'subscribe', plan: PLAN.metered, start: 'paid' };
    const actions = [begins, ...(over === 'its end' ? wavers(times) : plans(times))];
    const provider = playHistory(
      'ada',
      actions.map((action) => ({ gap: 0, action })),
    );
    const stripe = new ModelStripe();
    const service = makeService(stripe);
    stripe.mood = 'slow';
    stripe.wait = inTurn(answers);
    const arrivals = provider.changes.map((change): Arrival => {
      return { kind: 'event', change, event: change.event, present: change.seq };
    });
    await runCrowd(service, stripe, provider, arrivals, [arrivals.length], inTurn(starts));
  });
  return inMicrotasks(() => play('races', property, look, (race) => [JSON.stringify(race)]));
}

const wavers = (times: number): readonly Action[] => [{ do: 'waver', of: 0, times }];

const plans = (times: number): readonly Action[] =>
  Array.from({ length: times }).flatMap(() => [
    { do: 'plan_change', of: 0, plan: PLAN.monthly, quantity: 1 },
    { do: 'unplan', of: 0 },
  ]);

/**
 * A call that waits a turn of the event loop for company waits a microtask here: within a turn everything that counts
 * microtasks would be over, and nobody would meet.
 */
async function inMicrotasks<Result>(run: () => Promise<Result>): Promise<Result> {
  const { setImmediate } = globalThis;
  globalThis.setImmediate = ((then: () => void) => queueMicrotask(then)) as typeof setImmediate;
  try {
    return await run();
  } finally {
    globalThis.setImmediate = setImmediate;
  }
}

/** Waits for as many microtasks as the next number says. */
function inTurn(counts: readonly number[]): () => Promise<void> {
  let turn = 0;
  return async () => {
    const count = counts[turn % Math.max(1, counts.length)] ?? 0;
    turn += 1;
    for (let left = count; left > 0; left -= 1) await Promise.resolve();
  };
}
