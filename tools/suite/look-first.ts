import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

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
