// Where on the internet it comes from. Each has the variable that its own tools read for a mirror.
import { join } from 'node:path';

/** @typedef {import('../machine.mjs').Machine} Machine */
/**
 * @typedef {object} Places addresses without a slash at the end
 * @property {string} hidane has `v<version>/<file>`
 * @property {string} pypi an index of Python packages (PEP 503 or 691)
 * @property {string} adoptium the API
 * @property {string} rustup has `archive/<version>/<host>/rustup-init`
 */

const PUBLIC = {
  hidane: 'https://github.com/hidane-dev/hidane/releases/download',
  pypi: 'https://pypi.org/simple',
  adoptium: 'https://api.adoptium.net',
  rustup: 'https://static.rust-lang.org/rustup',
};

export const MIRRORS = `Behind a proxy: HTTPS_PROXY and NO_PROXY, or npm's https-proxy, noproxy and cafile. Mirrors: HIDANE_RELEASES_URL,
npm's registry, PIP_INDEX_URL or pip's index-url, RUSTUP_UPDATE_ROOT with RUSTUP_DIST_SERVER.`;

/** @param {Machine} machine @returns {Places} */
export function placesOf(machine) {
  const { environment } = machine;
  const places = {
    hidane: environment.HIDANE_RELEASES_URL || PUBLIC.hidane,
    pypi: indexOfPython(machine) || PUBLIC.pypi,
    adoptium: PUBLIC.adoptium,
    rustup: environment.RUSTUP_UPDATE_ROOT || PUBLIC.rustup,
  };
  return {
    hidane: places.hidane.replace(/\/+$/, ''),
    pypi: places.pypi.replace(/\/+$/, ''),
    adoptium: places.adoptium,
    rustup: places.rustup.replace(/\/+$/, ''),
  };
}

/**
 * The index that pip or uv would ask: the variables first, then pip's files, the user's before the machine's.
 *
 * @param {Machine} machine
 */
function indexOfPython(machine) {
  const { environment, home, platform } = machine;
  const named = environment.PIP_INDEX_URL || environment.UV_DEFAULT_INDEX || environment.UV_INDEX_URL;
  if (named) return named;
  const files = [
    environment.PIP_CONFIG_FILE,
    environment.VIRTUAL_ENV && join(environment.VIRTUAL_ENV, 'pip.conf'),
    environment.APPDATA && join(environment.APPDATA, 'pip', 'pip.ini'),
    platform === 'darwin' && join(home, 'Library', 'Application Support', 'pip', 'pip.conf'),
    join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'pip', 'pip.conf'),
    join(home, '.pip', 'pip.conf'),
    '/etc/pip.conf',
  ];
  const texts = files.map((file) => (file ? machine.read(file) : undefined));
  return texts.map((text) => text && indexInFile(text)).find((index) => index);
}

/** `index-url` of `[global]` or `[install]`. @param {string} text */
function indexInFile(text) {
  let section = '';
  let found;
  for (const line of text.split(/\r?\n/)) {
    section = /^\[(.+)\]\s*$/.exec(line)?.[1] ?? section;
    const value = /^\s*index[-_]url\s*[=:]\s*(\S+)/.exec(line)?.[1];
    if (value !== undefined && (section === 'install' || (section === 'global' && found === undefined))) {
      found = value;
    }
  }
  return found;
}
