import { expect, test } from 'vitest';
import { fakeMachine, prints } from './fake-machine.ts';
import { findCargo } from './find-cargo.mjs';

const SHIM = '/home/bob/.cargo/bin/cargo';
const TOOLCHAINS = '/home/bob/.rustup/toolchains';
const asShim = {
  environment: { PATH: '/home/bob/.cargo/bin' },
  links: { [SHIM]: '/home/bob/.cargo/bin/rustup' },
};

test('a cargo that answers is taken as it is', () => {
  const machine = fakeMachine({ programs: { '/usr/bin/cargo': prints('cargo 1.95.0 (abc 2026-04-01)') } });
  expect(findCargo(machine)).toEqual({ program: '/usr/bin/cargo', env: {}, version: '1.95' });
});

test('a rustup that finds no toolchain in this home is told of the home it was installed in', () => {
  const machine = fakeMachine({
    ...asShim,
    programs: {
      [SHIM]: ({ RUSTUP_HOME }) => (RUSTUP_HOME === '/home/bob/.rustup' ? 'cargo 1.95.0' : undefined),
    },
  });
  const env = { RUSTUP_HOME: '/home/bob/.rustup', CARGO_HOME: '/home/bob/.cargo' };
  expect(findCargo(machine)).toEqual({ program: SHIM, env, version: '1.95' });
});

test('without a default toolchain a stable one is called directly', () => {
  const direct = `${TOOLCHAINS}/stable-x86_64/bin/cargo`;
  const machine = fakeMachine({
    ...asShim,
    programs: {
      [SHIM]: () => undefined,
      [direct]: prints('cargo 1.95.0'),
      [`${TOOLCHAINS}/nightly-x86_64/bin/cargo`]: prints('cargo 1.97.0-nightly'),
    },
    folders: { [TOOLCHAINS]: ['nightly-x86_64', 'stable-x86_64'] },
  });
  expect(findCargo(machine)?.program).toBe(direct);
});

test('a Rust older than 1.88 cannot build hidane, so a newer one is looked for', () => {
  const environment = { PATH: '/old:/new' };
  const programs = { '/old/cargo': prints('cargo 1.87.0'), '/new/cargo': prints('cargo 1.88.0') };
  expect(findCargo(fakeMachine({ environment, programs }))?.program).toBe('/new/cargo');
  expect(findCargo(fakeMachine({ environment, programs: { '/old/cargo': prints('cargo 1.87.0') } }))).toBe(
    undefined,
  );
});
