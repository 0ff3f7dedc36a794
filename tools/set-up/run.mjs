// How set-up speaks, and runs other programs: a step's command, and at last the one that all of it was for.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter } from 'node:path';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** @param {string} text */
export function say(text) {
  console.log(`set-up: ${text}`);
}

/**
 * How npm is run: by this Node where npm says which file it is, as it does to its scripts; `npm` alone is no program on
 * Windows.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {{ program: string, first: readonly string[] }} what stands before its own args
 */
export function npm({ npm_execpath: file }) {
  return file?.endsWith('npm-cli.js')
    ? { program: process.execPath, first: [file] }
    : { program: 'npm', first: [] };
}

/**
 * @param {string} command @param {readonly string[]} args
 * @param {{ cwd?: string, env?: Record<string, string | undefined>, withinMs?: number, quiet?: boolean | 'but errors' }} [options]
 * @returns {Promise<boolean>} whether it succeeded. A command that takes longer than `withinMs` is ended.
 */
export function run(command, args, { cwd, env, withinMs, quiet = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', quiet ? 'ignore' : 'inherit', quiet === true ? 'ignore' : 'inherit'],
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

/**
 * Runs a command in place of this process: with its terminal, what was brought on PATH, its signals, and in the end its
 * status.
 *
 * @param {string} command @param {readonly string[]} args
 * @param {{ before: string, after: string }} folders of programs, before and after those on PATH
 */
export function become(command, args, { before, after }) {
  const PATH = [before, process.env.PATH ?? '', after].join(delimiter);
  const child = spawn(command, args, { env: { ...process.env, PATH }, stdio: 'inherit' });
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      // A terminal has sent its Ctrl-C to the command too.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  }
  child.once('error', ({ message }) => {
    console.error(`set-up: ${command} cannot be run: ${message}`);
    process.exitCode = 127;
  });
  child.once('exit', (status, signal) => {
    process.exitCode = status ?? (signal === null ? 1 : 128 + constants.signals[signal]);
  });
}
