import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auth, firestore } from '../app/emulated-user.ts';
import type { History } from './action.ts';
import { anyHistory } from './any-history.ts';
import { type Arrival, anyJourney, arrivalsOf, type Journey } from './delivery.ts';
import { type HttpService, httpService } from './http-service.ts';
import { type ModelServers, signInAs, startServers } from './model-servers.ts';
import { ModelStripe } from './model-stripe.ts';
import { playHistory } from './play-history.ts';
import type { ProviderModel } from './provider-model.ts';
import { runCrowd } from './run-crowd.ts';
import { type RunCounts, runJourney } from './run-journey.ts';

const SEED = Number(process.env.MODEL_SEED ?? Date.now() % 0x7fffffff);
const HISTORIES = Number(process.env.MODEL_HTTP_HISTORIES ?? 24);
/** Users whose events are on their way at the same time. */
const AT_ONCE = 60;
const SERVERS = 3;

const stripe = new ModelStripe();
const tokens = new Map<string, string>();
let servers: ModelServers;
let service: HttpService;

beforeAll(async () => {
  servers = await startServers(SERVERS, stripe);
  service = httpService(
    servers.bases,
    servers.secret,
    firestore,
    (uid) => tokens.get(uid) ?? '',
    async (uid) => (await auth.getUser(uid)).customClaims?.paid as boolean | undefined,
    stripe,
  );
});
afterAll(() => servers.close());

interface Case {
  readonly history: History;
  readonly journey: Journey;
  readonly crowds: readonly number[];
}

const anyCase: fc.Arbitrary<Case> = fc.record({
  history: anyHistory(),
  journey: anyJourney,
  crowds: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 4, maxLength: 4 }),
});

type Run = (provider: ProviderModel, arrivals: readonly Arrival[], one: Case) => Promise<RunCounts>;

/** One user for each history, many of them at once. Answers what was counted. */
async function runAll(prefix: string, seed: number, run: Run): Promise<Record<string, number>> {
  const cases = fc.sample(anyCase, { numRuns: Math.ceil(HISTORIES / 3), seed });
  const totals: Record<string, number> = { histories: cases.length };
  const waiting = [...cases.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, one] = next;
      const uid = `${prefix}${seed.toString(36)}x${index}x${crypto.randomUUID().slice(0, 6)}`;
      tokens.set(uid, await signInAs(uid));
      const provider = playHistory(uid, one.history);
      const arrivals = arrivalsOf(uid, provider.changes, { ...one.journey, crashes: [] }).flatMap(inRealTime);
      const counts = await run(provider, arrivals, one).catch((error: unknown) => {
        const actions = one.history.map(({ gap, action }) => `  +${gap} ms ${JSON.stringify(action)}`);
        const how = `replay with MODEL_SEED=${SEED}; history ${index}:\n${actions.join('\n')}`;
        throw new Error(`${how}\n${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
      for (const [name, count] of Object.entries(counts)) totals[name] = (totals[name] ?? 0) + count;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return totals;
}

/** Nobody moves these servers' clocks, and nothing expires while the model looks. */
function inRealTime(arrival: Arrival): Arrival[] {
  if (arrival.kind === 'tick' || arrival.kind === 'ahead') return [];
  return [arrival.kind === 'reserve' ? { ...arrival, lifetime: 3_600_000 } : arrival];
}

function print(what: string, counts: Record<string, number>): void {
  const figures = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  console.log(`model over HTTP, ${what}: seed ${SEED}, ${figures.join(', ')}`);
}

const eventsOf = (arrivals: readonly Arrival[]) => arrivals.filter(({ kind }) => kind === 'event');

describe('over HTTP, on real transactions, with several servers', { timeout: 300_000 }, () => {
  it('every single step of any order leaves what the truth makes of it', async () => {
    const counts = await runAll('step', SEED, (provider, arrivals) =>
      runJourney(service, stripe, provider, arrivals),
    );
    print('step by step', counts);
    expect(counts.deliveries).toBeGreaterThan(0);
  });

  it('handlers that meet leave exactly what the truth makes', async () => {
    const counts = await runAll('meet', SEED + 1, (provider, arrivals, { crowds }) =>
      runCrowd(service, stripe, provider, eventsOf(arrivals), crowds),
    );
    print('handlers at once', counts);
    expect(counts.deliveries).toBeGreaterThan(0);
  });

  it('handlers that meet consumes lose none and pay none twice', async () => {
    const counts = await runAll('race', SEED + 2, (provider, arrivals, { crowds }) =>
      runCrowd(service, stripe, provider, arrivals, crowds),
    );
    print('handlers and requests at once', counts);
    expect(counts.requests).toBeGreaterThan(0);
  });
});
