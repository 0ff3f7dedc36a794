import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Millis } from '@extension-billing/contract/customer';
import * as v from 'valibot';
import { Refusal } from '../local/refusal.ts';

/** A command that can be stopped and go on: which one, and what has to be the same for that to make sense. */
export interface ResumableCommand<State> {
  /** `reconcile`: its name, and how it is called again. */
  readonly command: string;
  /** What this run is about: a run about something else has a place of its own, or is refused where `file` is the place. */
  readonly args: Readonly<Record<string, string | number | boolean | null>>;
  readonly schema: v.GenericSchema<unknown, State>;
  /** Beside what the command writes; without it in the folder for what may be thrown away. */
  readonly file?: string;
}

export interface Resume<State> {
  /** How far the run before came; null where this one begins at the start. */
  readonly state: State | null;
  /** Once for each page: a run that is killed goes on from here. */
  save(state: State): void;
  /** All is done: the next run begins at the start. */
  done(): void;
}

/**
 * Where a command keeps how far it is. What it saves names users, so only its owner may read the file.
 *
 * @param mayGoOn as `--resume` says; without it an earlier run is forgotten with the first save
 * @throws Refusal
 */
export function openResume<State>(
  { command, args, schema, file = fileOf(command, args) }: ResumableCommand<State>,
  mayGoOn: boolean,
): Resume<State> {
  const save = (state: State): void => {
    mkdirSync(dirname(file), { recursive: true });
    // Renamed, so that a kill leaves the one before or this one.
    writeFileSync(`${file}.new`, JSON.stringify({ args: sorted(args), state }), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  const done = (): void => rmSync(file, { force: true });
  return { state: mayGoOn ? readState(command, args, schema, file) : null, save, done };
}

function fileOf(command: string, args: ResumableCommand<unknown>['args']): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(sorted(args)))
    .digest('hex')
    .slice(0, 16);
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(cache, 'extension-billing', 'commands', `${command}-${hash}.json`);
}

function sorted(args: ResumableCommand<unknown>['args']) {
  return Object.entries(args).sort(([a], [b]) => (a < b ? -1 : 1));
}

function readState<State>(
  command: string,
  args: ResumableCommand<unknown>['args'],
  schema: v.GenericSchema<unknown, State>,
  file: string,
): State {
  const text = readIfThere(file);
  const nothing = `No ${command} with these args was stopped: leave --resume away.`;
  if (text === null) throw new Refusal(nothing);
  const Kept = v.object({ args: v.array(v.unknown()), state: schema });
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), Kept), text);
  if (result.success) {
    if (!isDeepStrictEqual(result.output.args, sorted(args))) throw new Refusal(nothing);
    return result.output.state;
  }
  throw new Refusal(`${file} is of another version: leave --resume away to begin at the start.`);
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** As a shell says it of a program that Ctrl-C ended. */
export const STOPPED = 130;
/** One Ctrl-C may come twice: of the terminal, and passed on by npm, which ran the command. Nobody presses so fast. */
const SAME_CTRL_C: Millis = 300;

interface Signals {
  on(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
}

/**
 * Runs what can be stopped between two pages: the first Ctrl-C asks it to, the second one ends it at once.
 *
 * @param work looks at the signal, and has saved how far it is when it returns
 */
export async function untilStopped<Result>(
  work: (stop: AbortSignal) => Promise<Result>,
  signals: Signals = process,
  end: (status: number) => void = process.exit,
  now: () => Millis = () => performance.now(),
): Promise<Result> {
  const controller = new AbortController();
  let askedAt = 0;
  const stop = (): void => {
    if (controller.signal.aborted) {
      if (now() - askedAt >= SAME_CTRL_C) end(STOPPED);
      return;
    }
    askedAt = now();
    controller.abort();
    console.error('\nStopping after what is at hand. Ctrl-C again ends it at once.');
  };
  signals.on('SIGINT', stop);
  signals.on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    signals.off('SIGINT', stop);
    signals.off('SIGTERM', stop);
  }
}

/** What a command that was stopped prints last. */
export function howToGoOn(line: string): string {
  return `Stopped. It goes on where it is with: npx billing ${line} --resume`;
}
