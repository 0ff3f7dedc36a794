// Runs one step's command, with what it prints shown dimmed under the step, and says how long it took.
import { spawn } from 'node:child_process';

/** @param {string} text */
export function say(text) {
  console.log(`set-up: ${text}`);
}

/**
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, withinMs?: number, quiet?: boolean }} [options]
 * @returns {Promise<boolean>} whether it succeeded. A command that takes longer than `withinMs` is ended.
 */
export function run(command, args, { cwd, env, withinMs, quiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'ignore' : 'inherit', quiet ? 'ignore' : 'inherit'],
      detached: withinMs !== undefined,
    });
    const pid = child.pid;
    const limit =
      withinMs === undefined
        ? undefined
        : setTimeout(() => {
            say(`${command} took longer than ${withinMs / 1000} s; giving up on it`);
            if (pid !== undefined) process.kill(-pid, 'SIGKILL');
          }, withinMs);
    child.once('error', () => {
      clearTimeout(limit);
      resolve(false);
    });
    child.once('exit', (code) => {
      clearTimeout(limit);
      resolve(code === 0);
    });
  });
}
