// What stands between this machine and the internet: proxies and certificate authorities, as npm and the environment
// name them.
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';

/** @typedef {import('../machine.mjs').Machine} Machine */
/** @typedef {Readonly<Record<string, string | undefined>>} Variables */

/**
 * @typedef {object} Network
 * @property {(url: URL) => URL | undefined} proxyFor the proxy of a request, if it goes through one
 * @property {readonly string[] | undefined} authorities every PEM text to trust; undefined: what Node trusts by itself
 * @property {Readonly<Record<string, string>>} variables the same for programs that are started (rustup, cargo)
 */

const NPM_SETTINGS = ['https-proxy', 'proxy', 'noproxy', 'cafile'];

/**
 * Reads them all once. npm hands its settings to the scripts that it runs; a set-up that was started without npm asks
 * it.
 *
 * @param {Machine} machine
 * @returns {Network}
 * @throws {Error} where a proxy's address is none, or a named file of certificates cannot be read.
 */
export function readNetwork(machine) {
  const { environment } = machine;
  const npm = environment.npm_config_user_agent ? npmOfScript(environment) : npmAsked(machine);
  const either = (/** @type {string} */ name) =>
    environment[name.toLowerCase()] || environment[name.toUpperCase()] || undefined;
  const all = either('all_proxy');
  const http = npm.proxy ?? either('http_proxy') ?? all;
  const https = npm['https-proxy'] ?? either('https_proxy') ?? npm.proxy ?? all;
  const direct = [npm.noproxy, either('no_proxy')].filter((text) => text !== undefined).join(',');
  const proxies = { 'http:': proxyAddress(http), 'https:': proxyAddress(https) };
  const cafile = npm.cafile ?? environment.SSL_CERT_FILE;
  return {
    proxyFor: (url) =>
      isDirect(url, direct) ? undefined : proxies[url.protocol === 'https:' ? 'https:' : 'http:'],
    authorities: authorities([cafile, environment.NODE_EXTRA_CA_CERTS]),
    variables: {
      ...(http ? { HTTP_PROXY: http, http_proxy: http } : {}),
      ...(https ? { HTTPS_PROXY: https, https_proxy: https } : {}),
      ...(direct ? { NO_PROXY: direct, no_proxy: direct } : {}),
      ...(cafile ? { SSL_CERT_FILE: cafile, CARGO_HTTP_CAINFO: cafile } : {}),
    },
  };
}

/** @param {Variables} environment */
function npmOfScript(environment) {
  return Object.fromEntries(
    NPM_SETTINGS.map((name) => [name, setting(environment[`npm_config_${name.replaceAll('-', '_')}`])]),
  );
}

/** @param {Machine} machine */
function npmAsked(machine) {
  const said = machine.output('npm', ['config', 'get', ...NPM_SETTINGS]) ?? '';
  const lines = said.split('\n').map((line) => /^([\w-]+)=(.*)$/.exec(line.trim()));
  return Object.fromEntries(lines.flatMap((line) => (line === null ? [] : [[line[1], setting(line[2])]])));
}

/** @param {string | undefined} text */
function setting(text) {
  return text === undefined || ['', 'null', 'undefined', 'false'].includes(text) ? undefined : text;
}

/** @param {string | undefined} text */
function proxyAddress(text) {
  if (text === undefined) return undefined;
  const whole = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Error('The proxy that npm or the environment names is no http:// or https:// address.');
}

/**
 * Whether a request goes around the proxy: by the host's name, by the name of a domain around it, with or without a
 * dot before it, by both with a port, or always (`*`).
 *
 * @param {URL} url @param {string} list names with commas or spaces between them
 */
export function isDirect(url, list) {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    const [, name = '', wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (entry === '*') return true;
    if (name === '' || (wanted !== undefined && wanted !== port)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

/** @param {readonly (string | undefined)[]} files */
function authorities(files) {
  const named = files.filter((file) => file !== undefined && file !== '');
  if (named.length === 0) return undefined;
  return [...rootCertificates, ...named.map((file) => readFileSync(file ?? '', 'utf8'))];
}

/** An address as it may be shown: without a user's name, a password, or what stands behind a question mark. */
export function shown(/** @type {URL | string} */ url) {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
