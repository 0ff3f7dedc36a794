import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { type Instance, startFunction, startHello } from './instances.ts';
import { cpuOf, median, memoryOf } from './measure.ts';
import type { Row } from './report.ts';
import { consume, deliver, planBegins, send, signUpUsers, type World } from './world.ts';

const ANSWER_AIM = 2;
const CONSUME_AIM = 2.2;

/** What one process took from its start to its first answer. */
interface Start {
  readonly ms: number;
  readonly cpu: number | null;
  readonly memory: number | null;
}

/**
 * (f) From the start of a process to what it is asked first, in a new process each time: anything, a consume, a
 * webhook; against an Express app that says hello.
 */
export async function benchColdStart(world: World): Promise<readonly Row[]> {
  const { rounds } = world.options;
  const users = await signUpUsers(world.firestore, rounds + 1);
  const starts: Record<'hello' | 'answer' | 'consume' | 'webhook', Start[]> = {
    hello: [],
    answer: [],
    consume: [],
    webhook: [],
  };
  for (const [round, user] of users.entries()) {
    const measured = {
      hello: await timed(startHello(), ({ url }) => send(`${url}/`, {})),
      answer: await timed(startFunction(), ({ url }) => refused(`${url}/credits/balance`)),
      consume: await timed(startFunction(), ({ url }) => consume(url, user)),
      webhook: await timed(startFunction(), ({ url }) => deliver(url, planBegins(`cold-${randomUUID()}`))),
    };
    // The first round reads the files from the disk.
    if (round === 0) continue;
    for (const name of ['hello', 'answer', 'consume', 'webhook'] as const) starts[name].push(measured[name]);
  }
  const ratio = (figure: 'ms' | 'cpu', of: keyof typeof starts): number =>
    median(
      starts[of].map((start, n) => (start[figure] ?? Number.NaN) / (starts.hello[n]?.[figure] ?? Number.NaN)),
    );
  const typical = (figure: 'ms' | 'memory', of: keyof typeof starts): string =>
    median(starts[of].map((start) => start[figure] ?? Number.NaN)).toFixed(0);
  const rowOf = (of: 'answer' | 'consume' | 'webhook', what: string, aim: number | null): Row => {
    const times = ratio('ms', of);
    return {
      row: 'f',
      what: `start to ${what}, of an Express hello's start`,
      result: `${times.toFixed(1)} times, CPU ${ratio('cpu', of).toFixed(1)} times (${typical('ms', of)} ms against ${typical('ms', 'hello')} ms; ${typical('memory', of)} MB against ${typical('memory', 'hello')} MB afterwards)`,
      aim: aim === null ? '' : `≤ ${aim} times`,
      met: aim === null ? null : times <= aim,
      figures: { times, cpuTimes: ratio('cpu', of), starts: starts[of], hello: starts.hello },
    };
  };
  return [
    rowOf('answer', 'first answer', ANSWER_AIM),
    rowOf('consume', 'first consume', CONSUME_AIM),
    rowOf('webhook', 'first webhook', null),
  ];
}

async function timed(
  starting: Promise<Instance>,
  ask: (instance: Instance) => Promise<unknown>,
): Promise<Start> {
  const instance = await starting;
  try {
    await instance.listens;
    await ask(instance);
    const ms = performance.now() - instance.startedAt;
    return { ms, cpu: cpuOf(instance.pid), memory: memoryOf(instance.pid) };
  } finally {
    await instance.end();
  }
}

/** An answer of the whole app that needs no user: 401. */
function refused(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 401 ? resolve() : reject(new Error(`${url} answered ${answer.statusCode}`)),
      );
    });
    call.on('error', reject);
    call.end();
  });
}
