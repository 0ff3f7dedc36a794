import { type ChildProcess, spawn } from 'node:child_process';
import { statusOfSignal } from './ending-signal.ts';

export interface RunningCommand {
  readonly child: ChildProcess;
  /** Whether the command leads a process group of its own. */
  readonly leadsGroup: boolean;
  /** The command's exit status, as a shell would say it: 128 + n when signal n ended it, 127 when not found. */
  readonly status: Promise<number>;
}

/**
 * Runs a command with the suite's addresses in its environment. A single word with spaces is given to the
 * shell, as in `npm run suite -- "a && b"`. At a terminal the command stays in the terminal's own process
 * group, so that it can read from it; elsewhere it leads one, so that its children can be ended with it.
 *
 * @param output an open file to print to; otherwise where this process prints
 */
export function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  output: 'inherit' | number = 'inherit',
): RunningCommand {
  const [first = '', ...rest] = words;
  const forShell = words.length === 1 && /\s/.test(first);
  const leadsGroup = !process.stdin.isTTY;
  const child = spawn(first, rest, {
    env,
    stdio: ['inherit', output, output],
    shell: forShell,
    detached: leadsGroup,
  });
  const status = new Promise<number>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      console.error(`suite: cannot run "${first}": ${error.message}`);
      resolve(error.code === 'ENOENT' ? 127 : 126);
    });
    child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : statusOfSignal(signal))));
  });
  return { child, leadsGroup, status };
}
