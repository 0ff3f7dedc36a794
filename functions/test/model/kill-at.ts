import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One handler of a process that dies, and where it stands then. */
export interface CrashCell {
  /** Point and occurrence: "after commit#1". */
  readonly at: string;
  /** What the provider answers when it asks. */
  readonly subscription: object | null;
}

/** More than any handler takes to its point. */
const PATIENCE = 20_000;

/**
 * Starts a process with a server for each of these cells, has them asked, and waits until it has ended itself by SIGKILL
 * while every handler stood at its point.
 *
 * @param ask sends the request of a cell, by its index, to its server
 * @throws Error naming the points that were not reached
 */
export async function killAt(
  cells: readonly CrashCell[],
  ask: (index: number, base: string) => Promise<unknown>,
): Promise<void> {
  const child = fork(fileURLToPath(new URL('./crash-server.ts', import.meta.url)), {
    silent: true,
    env: { ...process.env, CRASH_CELLS: JSON.stringify(cells) },
  });
  const ended = once(child, 'exit');
  let said = '';
  child.stderr?.on('data', (data) => {
    said += data;
  });
  const missing = new Set(cells.keys());
  child.on('message', (index) => missing.delete(Number(index)));
  const [line] = await Promise.race([once(child.stdout ?? child, 'data'), ended]);
  const ports: readonly number[] = JSON.parse(String(line));
  const timer = setTimeout(() => child.kill('SIGTERM'), PATIENCE);
  await Promise.all(ports.map((port, index) => ask(index, `http://127.0.0.1:${port}`)));
  const [code, signal] = await ended;
  clearTimeout(timer);
  if (signal === 'SIGKILL') return;
  const points = [...missing].map((index) => cells[index]?.at).join(', ');
  throw new Error(`${points} not reached: the process ended with ${code ?? signal}: ${said}`);
}
