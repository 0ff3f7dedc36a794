import { type ChildProcess, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { spawnGated, statusOfSignal } from './processes.ts';

/** Hears of a process before it begins, and whether it leads a group of its own. */
type Adopt = (child: ChildProcess, leadsGroup: boolean) => void;

/**
 * Runs a command with the suite's addresses in its environment. A single word with spaces is given to the
 * shell, as in `npm run suite -- "a && b"`. At a terminal the command stays in the terminal's own process
 * group, so that it can read from it; elsewhere it leads one, so that its children can be ended with it.
 *
 * @param output an open file to print to; otherwise where this process prints
 * @returns the command's exit status, as a shell would say it: 128 + n when signal n ended it, 127 when not found
 */
export function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  adopt: Adopt,
  output: 'inherit' | number = 'inherit',
): Promise<number> {
  const [first = '', ...rest] = words;
  const [command, args] = words.length === 1 && /\s/.test(first) ? ['/bin/sh', ['-c', first]] : [first, rest];
  const leadsGroup = !process.stdin.isTTY;
  const stdio = ['inherit', output, output] as const;
  const { child, begin } = spawnGated(command, args, { env, stdio, detached: leadsGroup });
  const status = new Promise<number>((resolve) => {
    child.once('error', (error) => {
      console.error(`suite: cannot run "${first}": ${error.message}`);
      resolve(126);
    });
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : statusOfSignal(signal))));
  });
  adopt(child, leadsGroup);
  begin();
  return status;
}

/** Set for a script of this repository that is only to look at its words, and to end there. */
const ONLY_WORDS = 'BILLING_ONLY_WORDS';

/** Ends a script after its words were looked at, where nothing else was asked of it. */
export function endAfterWords(environment: NodeJS.ProcessEnv): void {
  if (environment[ONLY_WORDS] === '1') process.exit(0);
}

/** Scripts that look at their words first, and end when told to. */
const LOOKS_FIRST = /(?:^|\/)tools\/(?:scenario|contract|bench\/main)\.ts$/;

/**
 * Looks at a command before a suite is brought up for it: whether there is such a program, whether it is only asked for
 * help, and, of this repository's own scripts, whether its words are right.
 *
 * @returns the status to end with; null where the suite is needed.
 */
export function lookFirst(words: readonly string[], environment: NodeJS.ProcessEnv): number | null {
  const [program = '', ...rest] = words;
  // A single word with spaces is for the shell, which knows itself what it can run (run-command.ts).
  if (rest.length === 0 && /\s/.test(program)) return null;
  if (!isThere(program, environment)) {
    console.error(`suite: there is no command "${program}".`);
    return 127;
  }
  const asksHelp = rest.includes('--help');
  const isOwn = LOOKS_FIRST.test(rest[0] ?? '');
  if (!asksHelp && !isOwn) return null;
  const looking = { ...environment, ...(isOwn ? { [ONLY_WORDS]: '1' } : {}) };
  const status = spawnSync(program, rest, { stdio: 'inherit', env: looking }).status ?? 1;
  return asksHelp || status !== 0 ? status : null;
}

function isThere(program: string, { PATH = '' }: NodeJS.ProcessEnv): boolean {
  const places = program.includes('/')
    ? [program]
    : PATH.split(delimiter).map((folder) => join(folder, program));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
