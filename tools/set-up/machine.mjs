// What set-up asks of the machine. The choices take it as an argument, so that tests can put a made-up
// machine in its place.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} Machine
 * @property {Readonly<Record<string, string | undefined>>} environment
 * @property {string} platform as process.platform says it
 * @property {string} arch as process.arch says it
 * @property {string} home
 * @property {boolean} isRoot
 * @property {(path: string) => boolean} isExecutable
 * @property {(path: string) => readonly string[]} list names in a folder, none where there is no such folder
 * @property {(path: string) => string | undefined} read the text of a file, where there is one
 * @property {(path: string) => string} realPath
 * @property {(command: string, args: readonly string[], env?: Readonly<Record<string, string>>) => string | undefined} output
 *   what a command prints, or undefined when it cannot be run or fails
 */

/** @param {Readonly<Record<string, string | undefined>>} environment @returns {Machine} */
export function thisMachine(environment) {
  return {
    environment,
    platform: process.platform,
    arch: process.arch,
    home: environment.HOME || homedir(),
    isRoot: process.getuid?.() === 0,
    isExecutable(path) {
      try {
        accessSync(path, constants.X_OK);
        return statSync(path).isFile();
      } catch {
        return false;
      }
    },
    list(path) {
      try {
        return readdirSync(path);
      } catch {
        return [];
      }
    },
    read(path) {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
    realPath(path) {
      try {
        return realpathSync(path);
      } catch {
        return path;
      }
    },
    output(command, args, env = {}) {
      const { status, stdout, stderr } = spawnSync(command, args, {
        env: { ...environment, ...env },
        encoding: 'utf8',
        timeout: 60_000,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      return status === 0 ? `${stdout}${stderr}` : undefined;
    },
  };
}

/**
 * Every executable of this name on PATH, first come first.
 *
 * @param {Machine} machine @param {string} name
 */
export function onPath(machine, name) {
  const folders = (machine.environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, programName(machine, name))).filter(machine.isExecutable);
}

/** @param {Pick<Machine, 'platform'>} machine @param {string} name */
export function programName({ platform }, name) {
  return platform === 'win32' ? `${name}.exe` : name;
}

/**
 * The project's cache folder, outside the clone so that every clone shares it.
 *
 * @param {Machine} machine
 */
export function cacheFolder({ environment, home }) {
  return join(environment.XDG_CACHE_HOME || join(home, '.cache'), 'extension-billing');
}
