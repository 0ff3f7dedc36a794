import { describe, expect, test } from 'vitest';
import { fakeMachine, prints } from './fake-machine.ts';
import { chooseHidane, chooseOfficial } from './find-firestore.mjs';

const ROOT = '/clone';
const NAMED = '/opt/hidane';
const ON_PATH = '/usr/bin/hidane';
const CACHED = '/home/ann/.cache/extension-billing/hidane-0.6.0/bin/hidane';
const FROM_NPM = '/clone/node_modules/.bin/hidane';
const all = [NAMED, ON_PATH, CACHED, FROM_NPM];

const has = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, prints('')]));

describe('hidane is looked for', () => {
  test('in the variable HIDANE before anywhere else', () => {
    const machine = fakeMachine({ environment: { HIDANE: NAMED }, programs: has(...all) });
    expect(chooseHidane(machine, ROOT)).toEqual({ kind: 'hidane', program: NAMED });
  });

  test('then on PATH, then in the project’s cache, then in the npm package', () => {
    const found = [all.slice(1), all.slice(2), all.slice(3)].map((paths) =>
      chooseHidane(fakeMachine({ programs: has(...paths) }), ROOT),
    );
    expect(found).toEqual([ON_PATH, CACHED, FROM_NPM].map((program) => ({ kind: 'hidane', program })));
  });

  test('in the cache before the npm package also when npm has put its own folder on PATH', () => {
    const environment = { PATH: `${ROOT}/node_modules/.bin:/usr/bin` };
    const machine = fakeMachine({ environment, programs: has(CACHED, FROM_NPM) });
    expect(chooseHidane(machine, ROOT)).toEqual({ kind: 'hidane', program: CACHED });
  });

  test('in the cache folder that XDG_CACHE_HOME names', () => {
    const program = '/var/cache/extension-billing/hidane-0.6.0/bin/hidane';
    const machine = fakeMachine({ environment: { XDG_CACHE_HOME: '/var/cache' }, programs: has(program) });
    expect(chooseHidane(machine, ROOT)).toEqual({ kind: 'hidane', program });
  });

  test('nowhere else when HIDANE names something that is not there: the mistake is said', () => {
    const machine = fakeMachine({ environment: { HIDANE: '/tmp/typo' }, programs: has(ON_PATH, CACHED) });
    expect(chooseHidane(machine, ROOT)).toEqual({
      kind: 'missing',
      why: 'HIDANE names /tmp/typo, which is not a program.',
    });
  });
});

describe('the official emulator is used', () => {
  const withJava = (said: string, downloaded = ['emulator.jar']) =>
    fakeMachine({
      programs: { '/usr/bin/java': prints(said) },
      folders: { '/home/ann/.cache/firebase/emulators': downloaded },
      files: {
        '/clone/node_modules/firebase-tools/lib/emulator/downloadableEmulatorInfo.json':
          '{"firestore":{"downloadPathRelativeToCacheDir":"emulator.jar"}}',
      },
    });

  test.each([
    ['openjdk version "21.0.2" 2024-01-16', 'official'],
    ['openjdk version "25" 2025-09-16', 'official'],
    ['openjdk version "17.0.15" 2025-04-15', 'missing'],
    ['java version "1.8.0_411"', 'missing'],
  ])('with Java 21 or newer: %s → %s', (said, kind) => {
    expect(chooseOfficial(withJava(said), ROOT).kind).toBe(kind);
  });

  test('never before firebase-tools has downloaded it, or without a Java', () => {
    const fresh = withJava('openjdk version "21.0.2"', []);
    expect([fresh, fakeMachine({})].map((machine) => chooseOfficial(machine, ROOT).kind)).toEqual([
      'missing',
      'missing',
    ]);
  });
});
