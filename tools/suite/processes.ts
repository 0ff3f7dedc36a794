import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** A process of the suite. */
interface Part {
  readonly name: string;
  /** What to signal: minus the process id for a whole group, the id for one process, 0 when it never started. */
  readonly target: number;
  readonly logFile: string;
  /** Settles when the process has ended, with how. Never rejects. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
}

export interface PartCommand {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const GRACE_MS = 4_000;

/**
 * Starts processes so that none outlives the suite: each leads a group that `end` signals as a whole, and a
 * watchdog ends them all when this process dies without having called it.
 */
export class Processes {
  readonly #parts: Part[] = [];
  readonly #watchdog: ChildProcess;
  readonly #logFolder: string;
  #over = false;

  constructor(logFolder: string, removeAtTheEnd: readonly string[]) {
    this.#logFolder = logFolder;
    const program = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));
    this.#watchdog = spawn(process.execPath, [program], {
      detached: true,
      stdio: ['pipe', 'ignore', 'inherit'],
    });
    this.#watchdog.unref();
    this.#watchdog.stdin?.on('error', () => {});
    for (const folder of removeAtTheEnd) this.#tell(`@${folder}`);
  }

  /**
   * Starts a part; what it prints goes to `<name>.log`.
   *
   * @throws Error when the suite is already ending.
   */
  start({ name, command, args, cwd, env }: PartCommand): Part {
    if (this.#over) throw new Error(`${name} was not started: the suite is ending.`);
    const logFile = join(this.#logFolder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const stdio = ['ignore', log, log] as const;
    const { child, begin } = spawnGated(command, args, { cwd, env, detached: true, stdio });
    closeSync(log);
    const part = this.#watch(name, child, logFile);
    begin();
    return part;
  }

  /** Takes care of a process that was started elsewhere, as the leader of its own group or not. */
  adopt(name: string, child: ChildProcess, leadsGroup: boolean): Part {
    return this.#watch(name, child, '', leadsGroup);
  }

  /** Ends every part with its whole group: asks first, then insists. Returns when all are gone. */
  async end(): Promise<void> {
    this.#over = true;
    const targets = this.#parts.map(({ target }) => target).filter((target) => target !== 0);
    const anyLeft = (): boolean => targets.some((target) => signalTo(target, 0));
    for (const target of targets) signalTo(target, 'SIGTERM');
    const deadline = Date.now() + GRACE_MS;
    while (anyLeft() && Date.now() < deadline) await sleep(20);
    for (const target of targets) signalTo(target, 'SIGKILL');
    while (anyLeft() && Date.now() < deadline + GRACE_MS) await sleep(20);
    for (const target of targets) this.#tell(`-${target}`);
    if (this.#watchdog.exitCode !== null) return;
    this.#watchdog.ref();
    const watchdogEnded = once(this.#watchdog, 'exit');
    this.#watchdog.stdin?.end();
    await watchdogEnded;
  }

  #watch(name: string, child: ChildProcess, logFile: string, leadsGroup = true): Part {
    let over = false;
    const ended = new Promise<string>((resolve) => {
      const settle = (how: string): void => {
        over = true;
        resolve(how);
      };
      child.once('error', (error) => settle(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => settle(signal ? `was ended by ${signal}` : `ended with ${code}`));
    });
    const target = child.pid === undefined ? 0 : leadsGroup ? -child.pid : child.pid;
    const part: Part = { name, target, logFile, ended, hasEnded: () => over };
    this.#parts.push(part);
    if (target !== 0) this.#tell(`+${target}`);
    return part;
  }

  #tell(line: string): void {
    this.#watchdog.stdin?.write(`${line}\n`);
  }
}

/** Signals a part's target; false when nobody of it is left. */
function signalTo(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

/** The last lines that a part wrote, for an error message. */
function tailOf(part: Part, lines = 30): string {
  const text = part.logFile === '' ? '' : readFileSync(part.logFile, 'utf8').trimEnd();
  return text === '' ? '(it printed nothing)' : text.split('\n').slice(-lines).join('\n');
}

/** The shell becomes the program, in the same process, when a line comes through the gate; without one it ends. */
const GATE = 'read -r _ <&3 || exit 1; exec 3<&-; exec "$0" "$@"';

interface Gated {
  readonly child: ChildProcess;
  /** Lets the program begin. */
  begin(): void;
}

/**
 * Starts a program that does nothing before `begin`, and never anything when this process dies before that. So whoever
 * is to end it can be told of it first.
 *
 * @param options with `stdio` as three entries
 */
export function spawnGated(
  command: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> & { readonly stdio: readonly ('inherit' | 'ignore' | number)[] },
): Gated {
  const stdio = [...options.stdio, 'pipe' as const];
  const child = spawn('/bin/sh', ['-c', GATE, command, ...args], { ...options, stdio });
  // Made as a pipe above, so it is one that can be written to; null only where nothing was started.
  const gate = child.stdio[3] as Writable | null | undefined;
  // It may have been ended already.
  gate?.on('error', () => {});
  return { child, begin: () => void gate?.end('\n') };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Thrown out of what was under way when a signal asked this process to end. */
class EndedBySignal extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`Ended by ${signal}.`);
    this.signal = signal;
  }
}

interface EndingSignal {
  /** Settles with the first signal that asks this process to end; later ones are ignored while it cleans up. */
  readonly received: Promise<NodeJS.Signals>;
  readonly aborted: AbortSignal;
}

/** Takes the signals that ask this process to end, so that it can end its parts first. */
export function endingSignal(): EndingSignal {
  const controller = new AbortController();
  const received = new Promise<NodeJS.Signals>((resolve) => {
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        controller.abort(new EndedBySignal(signal));
        resolve(signal);
      });
    }
  });
  return { received, aborted: controller.signal };
}

/** The exit status of a process that a signal ended, as a shell says it. */
export function statusOfSignal(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/** Says what went wrong and gives the exit status for it. */
export function statusOfFailure(error: unknown): number {
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof EndedBySignal ? statusOfSignal(error.signal) : 1;
}

const EVERY_MS = 40;

/** What one look at a part found. `broken` gives up at once; `waiting` looks again. */
export type Look = { readonly is: 'ready' } | { readonly is: 'waiting' | 'broken'; readonly why: string };

/**
 * Looks at a part until it is ready.
 *
 * @throws Error with the tail of the part's log when it ends, is broken, or is not ready in time.
 */
export async function untilReady(part: Part, look: () => Promise<Look>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  let why = 'it was never looked at';
  while (Date.now() < deadline) {
    if (part.hasEnded()) throw notReady(part, await part.ended);
    const found = await look();
    if (found.is === 'ready') return;
    if (found.is === 'broken') throw notReady(part, found.why);
    why = found.why;
    await sleep(EVERY_MS);
  }
  throw notReady(part, `was not ready within ${withinMs / 1000} s (${why})`);
}

/** Asks an address; ready when `judge` says so of the status and body. A refused connection is waiting. */
export async function ask(url: string, judge: (status: number, body: string) => Look): Promise<Look> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(30_000) });
    return judge(response.status, await response.text());
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return { is: 'waiting', why: cause instanceof Error ? cause.message : String(cause) };
  }
}

function notReady(part: Part, why: string): Error {
  return new Error(`${part.name} ${why}. Its last lines:\n\n${tailOf(part)}\n`);
}
