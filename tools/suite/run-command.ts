import type { ChildProcess } from 'node:child_process';
import { statusOfSignal } from './ending-signal.ts';
import { spawnGated } from './spawn-gated.ts';

/** Hears of a process before it begins, and whether it leads a group of its own. */
export type Adopt = (child: ChildProcess, leadsGroup: boolean) => void;

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
