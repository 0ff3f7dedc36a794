import { expect, test } from 'vitest';
import { fakeMachine, prints } from './fake-machine.ts';
import { chooseChromium } from './find-chromium.mjs';

const has = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, prints('')]));
const DOWNLOADS = '/home/ann/.cache/ms-playwright';
const downloaded = (build: string) => `${DOWNLOADS}/chromium-${build}/chrome-linux64/chrome`;

test('the variable CHROMIUM is taken before anything else', () => {
  const environment = { CHROMIUM: '/opt/chrome' };
  const programs = has('/opt/chrome', '/usr/bin/chromium');
  expect(chooseChromium(fakeMachine({ environment, programs }))).toBe('/opt/chrome');
});

test('a CHROMIUM that is not there is not replaced by another browser', () => {
  const machine = fakeMachine({ environment: { CHROMIUM: '/typo' }, programs: has('/usr/bin/chromium') });
  expect(chooseChromium(machine)).toBeUndefined();
});

test('chromium on PATH comes before what Playwright downloaded', () => {
  const folders = { [DOWNLOADS]: ['chromium-1200'] };
  const programs = has('/usr/bin/chromium-browser', downloaded('1200'));
  expect(chooseChromium(fakeMachine({ folders, programs }))).toBe('/usr/bin/chromium-browser');
});

test('of Playwright’s downloads the newest that is complete is taken', () => {
  const folders = { [DOWNLOADS]: ['chromium-999', 'chromium-1200', 'chromium-1300', 'firefox-1400'] };
  const programs = has(downloaded('999'), downloaded('1200'));
  expect(chooseChromium(fakeMachine({ folders, programs }))).toBe(downloaded('1200'));
});

test('branded Chrome is never taken: it does not load unpacked extensions', () => {
  const programs = has('/usr/bin/google-chrome', '/usr/bin/google-chrome-stable', '/usr/bin/chrome');
  expect(chooseChromium(fakeMachine({ programs }))).toBeUndefined();
});

test('on a Mac, Chromium and Chrome for Testing in Applications are found', () => {
  const program = '/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';
  expect(chooseChromium(fakeMachine({ platform: 'darwin', programs: has(program) }))).toBe(program);
});
