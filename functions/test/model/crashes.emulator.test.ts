import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auth, firestore } from '../app/emulated-user.ts';
import { UNDER_WAY, withCrashPoints } from './crash-points.ts';
import {
  CRASH_SCENARIOS,
  type CrashScenario,
  FEATURE,
  type Played,
  playScenario,
} from './crash-scenarios.ts';
import { type HttpService, httpService } from './http-service.ts';
import { type CrashCell, killAt } from './kill-at.ts';
import { type ModelServers, signInAs, startServers } from './model-servers.ts';
import { ModelStripe } from './model-stripe.ts';
import { subscriptionObject } from './stripe-subscriptions.ts';

const stripe = new ModelStripe();
const tokens = new Map<string, string>();
let reach: (point: string) => Promise<void> = async () => {};
let healthy: ModelServers;
let failing: ModelServers;

beforeAll(async () => {
  healthy = await startServers(1, stripe);
  failing = await startServers(1, stripe, (parts) => withCrashPoints(parts, (point) => reach(point)));
});
afterAll(async () => {
  await healthy.close();
  await failing.close();
});

function serviceAt(bases: readonly string[]): HttpService {
  return httpService(
    bases,
    healthy.secret,
    firestore,
    (uid) => tokens.get(uid) ?? '',
    async (uid) => (await auth.getUser(uid)).customClaims?.paid as boolean | undefined,
    stripe,
  );
}

/** A user for whom everything but the last step is done. */
async function prepare(scenario: CrashScenario): Promise<Played> {
  const uid = `crash${crypto.randomUUID().slice(0, 8)}`;
  tokens.set(uid, await signInAs(uid));
  const played = playScenario(scenario, uid);
  stripe.at(played.provider, played.provider.changes.length - 1);
  const service = serviceAt(healthy.bases);
  for (const { event } of played.before) await service.deliver(event);
  for (let turn = 0; turn < scenario.consumes; turn += 1) {
    await service.consume(uid, `before${turn}`, FEATURE.name, FEATURE.cost);
  }
  if (played.asks === 'confirm') await reserveLast(service, uid);
  return played;
}

const reserveLast = (service: HttpService, uid: string) =>
  service.reserve(uid, {
    ...{ key: 'last', feature: FEATURE.name, cost: FEATURE.cost },
    ...{ lifetime: 3_600_000, by: 'user' },
  });

/** The step that dies, or that is done again: null where no answer came. */
async function lastStep(bases: readonly string[], { provider, last, asks }: Played): Promise<string | null> {
  const service = serviceAt(bases);
  try {
    if (last !== null) return await service.deliver(last.event);
    return (await askLast(service, provider.uid, asks))?.outcome ?? null;
  } catch {
    return null;
  }
}

function askLast(service: HttpService, uid: string, asks: Played['asks']) {
  switch (asks) {
    case 'consume':
      return service.consume(uid, 'last', FEATURE.name, FEATURE.cost);
    case 'reserve':
      return reserveLast(service, uid);
    case 'confirm':
      return service.settle(uid, { reservation: 'last', as: 'confirm', by: 'user' });
    default:
      return asks satisfies never;
  }
}

/** Sends the step again until it is answered well, as the provider and the extension do. */
async function sendAgain(played: Played): Promise<string> {
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await lastStep(healthy.bases, played);
    if (answer !== null && answer !== 'retry' && answer !== 'crashed') return answer;
  }
  throw new Error('the step is not answered well after ten tries');
}

/** Everything stored of a user and the claim, without what differs from user to user. */
async function everything({ provider: { uid }, last }: Played): Promise<string> {
  const service = serviceAt(healthy.bases);
  const { record, ledger } = await service.state(uid);
  const [facts, marked, claim] = await Promise.all([
    firestore.doc(`billing_facts/${uid}`).get(),
    last === null ? null : service.isMarked(last.event.id),
    service.paidClaim(uid),
  ]);
  const entries = [...ledger].sort(([a], [b]) => (a < b ? -1 : 1));
  const stored = { record, entries, facts: facts.get('facts'), marked, claim };
  const text = JSON.stringify(stored, comparable, 1);
  return text.replaceAll(uid, 'UID');
}

/** Tickets and times differ from run to run. */
function comparable(key: string, value: unknown): unknown {
  if (key === 'ticket' || key === 'expiresAt' || key === 'createdAt') return undefined;
  return value instanceof Map ? [...value] : value;
}

/** What a run without a crash reaches and ends as. */
async function control(scenario: CrashScenario) {
  const points: string[] = [];
  const counted = new Map<string, number>();
  const played = await prepare(scenario);
  reach = async (point) => {
    counted.set(point, (counted.get(point) ?? 0) + 1);
    points.push(`${point}#${counted.get(point)}`);
  };
  const answer = await lastStep(failing.bases, played);
  reach = async () => {};
  if (answer === null) throw new Error(`${scenario.name} fails without a crash`);
  const end = await everything(played);
  return { points, end };
}

/** The store, the provider or the claims fail at one point, once, for one user after the other. */
async function failAll(cells: readonly Cell[]): Promise<void> {
  for (const { at, played } of cells) await failAt(at, played);
}

async function failAt(at: string, played: Played): Promise<void> {
  let isDone = false;
  const counted = new Map<string, number>();
  reach = async (point) => {
    counted.set(point, (counted.get(point) ?? 0) + 1);
    if (isDone || `${point}#${counted.get(point)}` !== at) return;
    isDone = true;
    // Without a code that the SDK would try again by itself: the handler has to fail.
    throw new Error('on purpose');
  };
  await lastStep(failing.bases, played);
  reach = async () => {};
  if (!isDone) throw new Error(`${at} was not reached`);
}

/** A process dies by SIGKILL while each of these stands at its point. */
async function killAll(cells: readonly Cell[]): Promise<void> {
  const dying = cells.map(({ at, played: { provider } }): CrashCell => {
    const [subscription] = provider.subscriptions.values();
    return {
      at,
      subscription: subscription ? subscriptionObject(provider.uid, subscription) : null,
    };
  });
  await killAt(dying, async (index, base) => {
    const played = cells[index]?.played;
    if (played !== undefined) await lastStep([base], played);
  });
}

type Row = Record<string, string>;

/** A user of a scenario whose last step ends at a point, and how everything ends where it does not. */
interface Cell {
  readonly scenario: CrashScenario;
  readonly at: string;
  readonly end: string;
  readonly played: Played;
}

/**
 * The matrix: for every scenario and every point that it reaches, the end after a crash there compared with
 * the end without one. Everything is sent again together, because the locks that a dead process leaves behind take
 * the emulator many seconds to give up.
 */
async function matrix(
  scenarios: readonly CrashScenario[],
  crash: (cells: readonly Cell[]) => Promise<void>,
): Promise<Record<string, Row>> {
  const cells: Cell[] = [];
  for (const scenario of scenarios) {
    const { points, end } = await control(scenario);
    const users = points.map(async (at) => ({ scenario, at, end, played: await prepare(scenario) }));
    cells.push(...(await Promise.all(users)));
  }
  await crash(cells);
  const answers = await Promise.all(
    cells.map(async ({ scenario: { name }, at, end, played }) => {
      const answer = await sendAgain(played);
      expect(await everything(played), `${name}, ${at}`).toBe(end);
      return { name, at, answer };
    }),
  );
  const byName = Object.entries(Object.groupBy(answers, ({ name }) => name));
  return Object.fromEntries(
    byName.map(([name, all = []]) => [name, Object.fromEntries(all.map(({ at, answer }) => [at, answer]))]),
  );
}

function print(how: string, rows: Readonly<Record<string, Row>>): void {
  const lines = Object.entries(rows).map(([name, cells]) => {
    const parts = Object.entries(cells).map(([point, answer]) => `    ${point.padEnd(32)} → ${answer}`);
    return `  ${name}\n${parts.join('\n')}`;
  });
  console.log(
    `${how}; what the step answers when it is sent again, every end as without it:\n${lines.join('\n')}`,
  );
}

const FAILING = ['pack refunded', 'subscription ends', 'order unclear', 'consume', 'confirm'];

describe('a crash at any step, and the same step sent again', { timeout: 600_000 }, () => {
  it('ends as without it when the store, the provider or the claims fail', async () => {
    // One for each way to commit: the model has such failures at any call (converges.test.ts).
    const scenarios = CRASH_SCENARIOS.filter(({ name }) => FAILING.includes(name));
    expectAll('failed at', scenarios, await matrix(scenarios, failAll));
  });

  it('ends as without it when the process is killed', async () => {
    expectAll('SIGKILL at', CRASH_SCENARIOS, await matrix(CRASH_SCENARIOS, killAll));
  });
});

function expectAll(
  how: string,
  scenarios: readonly CrashScenario[],
  rows: Readonly<Record<string, Row>>,
): void {
  print(how, rows);
  const points = Object.values(rows).flatMap(Object.keys);
  expect(Object.keys(rows)).toEqual(scenarios.map(({ name }) => name));
  expect(points).toContain(`${UNDER_WAY}#1`);
  expect(points).toContain('after setting the claim#1');
  expect(points).toContain('after asking the provider#1');
}
