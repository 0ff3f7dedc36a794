import { join } from 'node:path';
import { chooseChromium, WAYS_TO_CHROMIUM } from './find-chromium.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

/**
 * Makes sure that there is a Chromium: one on the machine, else Playwright's download, else Debian's package.
 *
 * @param {Machine} machine @param {string} root
 * @throws {Error} naming the ways to get one when none could be had.
 */
export async function bringChromium(machine, root) {
  if (chooseChromium(machine)) return;
  if (machine.environment.CHROMIUM) {
    throw new Error(
      `CHROMIUM names ${machine.environment.CHROMIUM}, which is not a program.\n${WAYS_TO_CHROMIUM}`,
    );
  }
  say('downloading Chromium with Playwright (about 1 minute) …');
  const playwright = join(root, 'node_modules', '.bin', 'playwright-core');
  const patience = { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '10000' };
  await run(playwright, ['install', 'chromium'], { env: patience, withinMs: 300_000, quiet: true });
  if (chooseChromium(machine)) return;
  if (machine.isRoot && machine.isExecutable('/usr/bin/apt-get')) {
    say('the download did not work; installing Debian’s chromium with apt-get (about 1 minute) …');
    const env = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], { env });
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { env });
    if (chooseChromium(machine)) return;
  }
  throw new Error(`No Chromium could be had.\n${WAYS_TO_CHROMIUM}`);
}
