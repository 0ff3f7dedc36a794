import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Firestore, Timestamp } from 'firebase-admin/firestore';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rolledEntries } from '../../src/ledger/history.ts';
import { parseUid } from '../../src/store/documents.ts';
import { auth, firestore } from '../app/emulated-user.ts';
import { compactOld } from './compact-old.ts';
import { UNDER_WAY, withCrashPoints } from './crash-points.ts';
import {
  CRASH_SCENARIOS,
  type CrashScenario,
  FEATURE,
  type Played,
  playScenario,
} from './crash-scenarios.ts';
import { type HttpService, httpService } from './http-service.ts';
import { type ModelServers, signInAs, startServers } from './model-servers.ts';
import { ModelStripe } from './model-stripe.ts';
import { entryOf } from './read-state.ts';
import { subscriptionObject } from './stripe-subscriptions.ts';

const stripe = new ModelStripe();
const tokens = new Map<string, string>();
let reach: (point: string) => Promise<void> = async () => {};
let healthy: ModelServers;
let failing: ModelServers;
/** The database of the failing server. */
let crashing: Firestore;

beforeAll(async () => {
  healthy = await startServers(1, stripe);
  failing = await startServers(1, stripe, (parts) => {
    const changed = withCrashPoints(parts, (point) => reach(point));
    crashing = changed.firestore;
    return changed;
  });
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
  if (played.asks === 'compact') await growOld(uid);
  return played;
}

async function growOld(uid: string): Promise<void> {
  const { docs } = await firestore.collection(`customers/${uid}/credit_ledger`).get();
  const createdAt = Timestamp.fromMillis(Date.now() - 200 * 86_400_000);
  await Promise.all(docs.map(({ ref }) => ref.update({ createdAt })));
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
    if (asks === 'compact') {
      await compactOld(bases === failing.bases ? crashing : firestore, provider.uid);
      return 'compacted';
    }
    return (await askLast(service, provider.uid, asks))?.outcome ?? null;
  } catch {
    return null;
  }
}

function askLast(service: HttpService, uid: string, asks: Exclude<Played['asks'], 'compact'>) {
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
  const [facts, marked, claim, rolled] = await Promise.all([
    firestore.doc(`billing_facts/${uid}`).get(),
    last === null ? null : service.isMarked(last.event.id),
    service.paidClaim(uid),
    rolledOf(uid),
  ]);
  const entries = [...ledger].sort(([a], [b]) => (a < b ? -1 : 1));
  const stored = { record, entries, rolled, facts: facts.get('facts'), marked, claim };
  const text = JSON.stringify(stored, comparable, 1);
  return text.replaceAll(uid, 'UID');
}

/** What was rolled of a ledger. */
async function rolledOf(uid: string) {
  const parsed = parseUid(uid);
  const entries: (readonly [string, unknown])[] = [];
  if (parsed === null) return entries;
  for await (const some of rolledEntries(firestore, parsed)) {
    entries.push(...some.map(({ id, data }) => [id, entryOf(data)] as const));
  }
  return entries.sort();
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
  if (played.asks === 'compact') expect(end).toContain('"rolled",');
  return { points, end };
}

/** The store, the provider or the claims fail at one point, once. */
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

/** A process of its own dies by SIGKILL at one point. */
async function killAt(at: string, played: Played): Promise<void> {
  const { provider } = played;
  const [subscription] = provider.subscriptions.values();
  const child: ChildProcess = fork(fileURLToPath(new URL('./crash-server.ts', import.meta.url)), {
    silent: true,
    env: {
      ...process.env,
      CRASH_AT: at,
      CRASH_ANSWERS: JSON.stringify(subscription ? subscriptionObject(provider.uid, subscription) : null),
    },
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr?.on('data', (data) => {
    said += data;
  });
  const [line] = await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  await lastStep([`http://127.0.0.1:${Number(String(line))}`], played);
  const timer = setTimeout(() => child.kill('SIGTERM'), 10_000);
  const [code, signal] = await ended;
  clearTimeout(timer);
  if (signal !== 'SIGKILL')
    throw new Error(`${at} was not reached: the server ended with ${code ?? signal}: ${said}`);
}

type Row = Record<string, string>;

type Crash = (at: string, played: Played) => Promise<void>;

/**
 * The matrix: for every scenario and every point that it reaches, the end after a crash there compared with
 * the end without one. The crashes come `atOnce` at a time; then everything is sent again together, because
 * the locks that a dead process leaves behind take the emulator many seconds to give up.
 */
async function matrix(
  scenarios: readonly CrashScenario[],
  crash: Crash,
  atOnce: number,
  isWanted: (scenario: CrashScenario, at: string) => boolean = () => true,
): Promise<Record<string, Row>> {
  const cells: { readonly scenario: CrashScenario; readonly at: string; readonly end: string }[] = [];
  for (const scenario of scenarios) {
    const { points, end } = await control(scenario);
    cells.push(...points.filter((at) => isWanted(scenario, at)).map((at) => ({ scenario, at, end })));
  }
  const crashed: Promise<readonly [string, string, string]>[] = [];
  const waiting = [...cells];
  const worker = async (): Promise<void> => {
    for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
      const { scenario, at, end } = cell;
      const played = await prepare(scenario);
      await crash(at, played);
      crashed.push(
        sendAgain(played).then(async (answer) => {
          expect(await everything(played), `${scenario.name}, ${at}`).toBe(end);
          return [scenario.name, at, answer] as const;
        }),
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const rows = Object.fromEntries(scenarios.map(({ name }): [string, Row] => [name, {}]));
  for (const [name, at, answer] of await Promise.all(crashed)) rows[name] = { ...rows[name], [at]: answer };
  return rows;
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

describe('a crash at any step, and the same step sent again', { timeout: 600_000 }, () => {
  it('ends as without it when the store, the provider or the claims fail', async () => {
    const rows = await matrix(CRASH_SCENARIOS, failAt, 1);
    print('failed at', rows);
    expect(pointsOf(rows)).toContain(`${UNDER_WAY}#1`);
    expect(pointsOf(rows)).toContain('after setting the claim#1');
    expect(pointsOf(rows)).toContain('after asking the provider#1');
  });

  it('ends as without it when the process is killed', async () => {
    const killed = CRASH_SCENARIOS.filter(({ name }) => KILLED.has(name));
    const rows = await matrix(killed, killAt, 3, ({ name }, at) => KILLED.get(name)?.test(at) === true);
    print('SIGKILL at', rows);
    expect(pointsOf(rows)).toContain(`${UNDER_WAY}#1`);
    expect(pointsOf(rows)).toContain('after setting the claim#1');
    expect(pointsOf(rows)).toContain('after asking the provider#1');
  });
});

const pointsOf = (rows: Readonly<Record<string, Row>>): string[] => Object.values(rows).flatMap(Object.keys);

/**
 * A process for every point takes its time: these reach every kind of point once. A compaction fails at each of its points
 * above, and dies in the model (compaction.test.ts).
 */
const KILLED: ReadonlyMap<string, RegExp> = new Map([
  ['subscription ends', /./],
  ['order unclear', /asking|#3/],
  ['consume', /./],
  ['confirm', /commit/],
]);
