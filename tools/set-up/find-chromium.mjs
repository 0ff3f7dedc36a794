// A Chromium that loads unpacked extensions. Branded Chrome since 137 ignores --load-extension, so it is
// never taken from the machine; Chromium and Chrome for Testing are.
import { join } from 'node:path';
import { onPath, thisMachine } from './machine.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

export const WAYS_TO_CHROMIUM = `The extension's tests need a Chromium. Any one of these does:
  - npx playwright-core install chromium
  - on Debian: apt-get install chromium
  - put the path of a Chromium or Chrome for Testing in the variable CHROMIUM (branded Chrome does not load extensions)`;

const ON_A_MAC = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
];

/**
 * @param {Machine} machine
 * @returns {string | undefined} the variable CHROMIUM, else one on PATH, else one that Playwright downloaded
 */
export function chooseChromium(machine) {
  const named = machine.environment.CHROMIUM;
  if (named) return machine.isExecutable(named) ? named : undefined;
  const onThePath = ['chromium', 'chromium-browser'].flatMap((name) => onPath(machine, name));
  const inApplications = machine.platform === 'darwin' ? ON_A_MAC : [];
  return [...onThePath, ...inApplications, ...downloadedByPlaywright(machine)].find(machine.isExecutable);
}

/** @param {Machine} machine */
function downloadedByPlaywright(machine) {
  const { environment, home, platform } = machine;
  const usual = platform === 'darwin' ? 'Library/Caches/ms-playwright' : '.cache/ms-playwright';
  const folder = environment.PLAYWRIGHT_BROWSERS_PATH || join(home, usual);
  const newestFirst = machine
    .list(folder)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)));
  const mac = 'Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing';
  return newestFirst.flatMap((name) =>
    [
      'chrome-linux/chrome',
      'chrome-linux64/chrome',
      `chrome-mac/${mac}`,
      `chrome-mac-x64/${mac}`,
      `chrome-mac-arm64/${mac}`,
      'chrome-mac/Chromium.app/Contents/MacOS/Chromium',
    ].map((program) => join(folder, name, program)),
  );
}

/** @param {Readonly<Record<string, string | undefined>>} environment */
export function findChromium(environment) {
  return chooseChromium(thisMachine(environment));
}
