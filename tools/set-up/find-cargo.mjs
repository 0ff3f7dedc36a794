// A cargo that works. rustup's `cargo` on PATH looks for its toolchains in the home folder of whoever runs
// it, so it fails where HOME is another one than that in which rustup was installed.
import { basename, dirname, join } from 'node:path';
import { onPath } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */
/** @typedef {{ program: string, env: Readonly<Record<string, string>>, version: string }} Cargo */

const LEAST_RUST = [1, 88];
export const LEAST_RUST_TEXT = LEAST_RUST.join('.');

/**
 * @param {Machine} machine
 * @returns {Cargo | undefined} the first cargo, new enough, that answers; with the environment it needs
 */
export function findCargo(machine) {
  for (const candidate of cargoCandidates(machine)) {
    const said = machine.output(candidate.program, ['--version'], candidate.env);
    const version = /^cargo (\d+)\.(\d+)/.exec(said ?? '');
    if (version && isEnough(Number(version[1]), Number(version[2]))) {
      return { ...candidate, version: `${version[1]}.${version[2]}` };
    }
  }
  return undefined;
}

/** @param {Machine} machine @returns {{ program: string, env: Record<string, string> }[]} */
function cargoCandidates(machine) {
  return onPath(machine, 'cargo').flatMap((program) => {
    const isShim = basename(machine.realPath(program)).startsWith('rustup');
    if (!isShim) return [{ program, env: {} }];
    const cargoHome = dirname(dirname(program));
    const rustupHome = join(dirname(cargoHome), '.rustup');
    const homes = { RUSTUP_HOME: rustupHome, CARGO_HOME: cargoHome };
    const toolchains = [...machine.list(join(rustupHome, 'toolchains'))].sort(byStableFirst);
    const direct = toolchains.map((name) => {
      const bin = join(rustupHome, 'toolchains', name, 'bin');
      const PATH = `${bin}:${machine.environment.PATH ?? ''}`;
      return { program: join(bin, 'cargo'), env: { CARGO_HOME: cargoHome, PATH } };
    });
    return [{ program, env: {} }, { program, env: homes }, ...direct];
  });
}

/** @param {string} a @param {string} b */
function byStableFirst(a, b) {
  return Number(b.startsWith('stable')) - Number(a.startsWith('stable')) || b.localeCompare(a);
}

/** @param {number} major @param {number} minor */
function isEnough(major, minor) {
  const [leastMajor = 0, leastMinor = 0] = LEAST_RUST;
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
