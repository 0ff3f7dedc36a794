import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  broughtFirefox,
  chooseFirefox,
  firefoxFolder,
  isNewEnough,
  WAYS_TO_FIREFOX,
} from './find-firefox.mjs';
import { onPath } from './machine.mjs';
import { putInPlace } from './put-in-place.mjs';
import { run, say } from './run.mjs';

/** @typedef {import('./machine.mjs').Machine} Machine */

const DEBIANS = 'firefox-esr';

/**
 * Makes sure that there is a Firefox: one on the machine, else Debian's package, unpacked into the project's cache with
 * what it needs and installed nowhere, else Mozilla's download.
 *
 * @param {Machine} machine @param {string} root
 * @throws {Error} naming the ways to get one when none could be had.
 */
export async function bringFirefox(machine, root) {
  if (chooseFirefox(machine)) return;
  if (machine.environment.FIREFOX) {
    throw new Error(
      `FIREFOX names ${machine.environment.FIREFOX}, which is not a program.\n${WAYS_TO_FIREFOX}`,
    );
  }
  const folder = firefoxFolder(machine);
  for (const way of [fromDebian, fromMozilla]) {
    /** @type {string | undefined} */
    let script;
    await putInPlace(folder, async (fresh) => {
      script = await way(machine, root, fresh, folder);
      if (script === undefined) return;
      writeFileSync(join(fresh, 'start-firefox'), script);
      chmodSync(join(fresh, 'start-firefox'), 0o755);
    });
    if (script !== undefined && isNewEnough(machine, broughtFirefox(machine))) return;
    rmSync(folder, { recursive: true, force: true });
  }
  throw new Error(`No Firefox could be had.\n${WAYS_TO_FIREFOX}`);
}

/**
 * Debian's package and those that it needs and the machine has not. apt works on folders of its own here, so it asks
 * for no root and installs nothing.
 *
 * @param {Machine} machine @param {string} _root @param {string} fresh @param {string} folder
 * @returns {Promise<string | undefined>} the script that starts it
 */
async function fromDebian(machine, _root, fresh, folder) {
  const has = (/** @type {string} */ name) => onPath(machine, name).length > 0;
  if (machine.platform !== 'linux' || !has('apt-get') || !has('dpkg-deb')) return undefined;
  say('downloading Debian’s Firefox (about 70 MB) into the project’s cache …');
  const apt = join(fresh, 'apt');
  const packages = join(apt, 'cache', 'archives');
  for (const part of [join(apt, 'lists', 'partial'), join(packages, 'partial')]) {
    mkdirSync(part, { recursive: true });
  }
  const places = [
    `Dir::State::lists=${join(apt, 'lists')}`,
    `Dir::Cache=${join(apt, 'cache')}`,
    'Debug::NoLocking=true',
    'APT::Sandbox::User=',
  ].flatMap((setting) => ['-o', setting]);
  const how = { env: { DEBIAN_FRONTEND: 'noninteractive' }, withinMs: 300_000, quiet: true };
  const fetchIt = ['install', '-y', '--download-only', '--no-install-recommends', DEBIANS];
  const isHere =
    (await run('apt-get', [...places, 'update'], how)) &&
    (await run('apt-get', [...places, ...fetchIt], how));
  const files = machine.list(packages).filter((name) => name.endsWith('.deb'));
  if (!isHere || !files.some((name) => name.startsWith(DEBIANS))) return undefined;
  for (const name of files) {
    if (!(await run('dpkg-deb', ['-x', join(packages, name), fresh], how))) return undefined;
  }
  rmSync(apt, { recursive: true, force: true });
  const libraries = machine.list(join(fresh, 'usr', 'lib')).filter((name) => name.includes('-linux-gnu'));
  const paths = libraries.map((name) => join(folder, 'usr', 'lib', name));
  return `#!/bin/sh
export LD_LIBRARY_PATH="${paths.join(':')}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "${join(folder, 'usr', 'lib', DEBIANS, DEBIANS)}" "$@"
`;
}

/**
 * @param {Machine} _machine @param {string} root @param {string} fresh @param {string} folder
 * @returns {Promise<string | undefined>} the script that starts it
 */
async function fromMozilla(_machine, root, fresh, folder) {
  say('downloading Firefox from Mozilla (about 1 minute) …');
  const { Browser, install, resolveBuildId, detectBrowserPlatform } = await import(
    join(root, 'node_modules', '@puppeteer', 'browsers', 'lib', 'main.js')
  );
  try {
    const platform = detectBrowserPlatform();
    const buildId = await resolveBuildId(Browser.FIREFOX, platform, 'stable');
    const { executablePath } = await install({ browser: Browser.FIREFOX, buildId, cacheDir: fresh });
    return `#!/bin/sh\nexec "${executablePath.replace(fresh, folder)}" "$@"\n`;
  } catch (error) {
    say(`not from Mozilla: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}
