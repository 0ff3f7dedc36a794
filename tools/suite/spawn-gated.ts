import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** The shell becomes the program, in the same process, when a line comes through the gate; without one it ends. */
const GATE = 'read -r _ <&3 || exit 1; exec 3<&-; exec "$0" "$@"';

export interface Gated {
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
