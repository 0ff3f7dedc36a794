import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawnGated } from './spawn-gated.ts';

/** A process of the suite. */
export interface Part {
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
export function tailOf(part: Part, lines = 30): string {
  const text = part.logFile === '' ? '' : readFileSync(part.logFile, 'utf8').trimEnd();
  return text === '' ? '(it printed nothing)' : text.split('\n').slice(-lines).join('\n');
}
