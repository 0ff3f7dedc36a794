import { expect, test } from 'vitest';
import { fakeMachine, prints } from './fake-machine.ts';
import { chooseFirefox } from './find-firefox.mjs';

const firefox = (version: string) => prints(`Mozilla Firefox ${version}\n`);
const BROUGHT = '/home/ann/.cache/extension-billing/firefox/start-firefox';

test('the variable FIREFOX is taken before anything else, and is not replaced where it is wrong', () => {
  const programs = { '/opt/firefox': firefox('150.0'), [BROUGHT]: firefox('153.7.0esr') };
  const choose = (FIREFOX: string) => chooseFirefox(fakeMachine({ environment: { FIREFOX }, programs }));
  expect([choose('/opt/firefox'), choose('/typo')]).toEqual(['/opt/firefox', undefined]);
});

test('what set-up brought comes before what is on PATH', () => {
  const programs = { '/usr/bin/firefox': firefox('155.0'), [BROUGHT]: firefox('153.7.0esr') };
  expect(chooseFirefox(fakeMachine({ programs }))).toBe(BROUGHT);
});

test('one that is too old to be driven is left', () => {
  const machine = (version: string) => fakeMachine({ programs: { '/usr/bin/firefox': firefox(version) } });
  expect(chooseFirefox(machine('152.0.4'))).toBeUndefined();
  expect(chooseFirefox(machine('153.7.0esr'))).toBe('/usr/bin/firefox');
});

test('a snap is left: it cannot read a profile in the temporary folder', () => {
  const programs = { '/usr/bin/firefox': firefox('155.0') };
  const files = { '/usr/bin/firefox': '#!/bin/sh\nexec /snap/bin/firefox "$@"\n' };
  expect(chooseFirefox(fakeMachine({ programs, files }))).toBeUndefined();
  expect(
    chooseFirefox(fakeMachine({ programs, links: { '/usr/bin/firefox': '/snap/firefox/1/firefox' } })),
  ).toBeUndefined();
});

test('on a Mac, the one in Applications is found', () => {
  const program = '/Applications/Firefox.app/Contents/MacOS/firefox';
  expect(chooseFirefox(fakeMachine({ platform: 'darwin', programs: { [program]: firefox('155.0') } }))).toBe(
    program,
  );
});
