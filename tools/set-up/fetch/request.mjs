// GET, by Node's own modules: through proxies, along redirections, and never waiting for ever.
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { shown } from './network.mjs';

/** @typedef {import('./network.mjs').Network} Network */
/** @typedef {Readonly<Record<string, string>>} Headers */
/**
 * @typedef {object} Patience milliseconds
 * @property {number} answer until the head of an answer is there, for each redirection
 * @property {number} silence without a byte
 */

/** @type {Patience} */
export const PATIENCE = { answer: 15_000, silence: 30_000 };
const MOST_REDIRECTIONS = 5;
const LARGEST_TEXT = 20_000_000;

/** The other side answered, and with a refusal. */
export class Refused extends Error {
  /** @param {URL} url @param {number} status */
  constructor(url, status) {
    super(`${shown(url)} answers ${status}`);
    this.status = status;
  }
}

/**
 * The answer to a GET, once its head is there, with a status below 400. A name and a password in the address are sent
 * to its host alone; from https no redirection leads to anything else.
 *
 * @param {string} address
 * @param {{ network: Network, headers?: Headers, patience?: Patience }} options
 * @returns {Promise<import('node:http').IncomingMessage>}
 * @throws {Refused} with the status; {Error} where there is no such host, no answer in time, or no trust.
 */
export async function open(address, { network, headers = {}, patience = PATIENCE }) {
  let url = new URL(address);
  let own = withPassword(url, headers);
  for (let count = 0; count <= MOST_REDIRECTIONS; count++) {
    const answer = await ask(url, { network, headers: own, patience });
    const { statusCode: status = 0 } = answer;
    const { location } = answer.headers;
    if (status < 300) return answer;
    answer.destroy();
    if (status >= 400 || location === undefined) throw new Refused(url, status);
    const next = new URL(location, url);
    if (url.protocol === 'https:' && next.protocol !== 'https:') {
      throw new Error(`${shown(url)} leads to ${shown(next)}, which is not https`);
    }
    if (next.host !== url.host) own = withPassword(next, headers);
    url = next;
  }
  throw new Error(`${shown(address)} leads on and on`);
}

/**
 * The text behind an address.
 *
 * @param {string} address
 * @param {{ network: Network, headers?: Headers, patience?: Patience }} options
 * @returns {Promise<{ text: string, type: string }>}
 */
export async function readText(address, options) {
  const answer = await open(address, options);
  const parts = [];
  let length = 0;
  for await (const part of answer) {
    length += part.length;
    if (length > LARGEST_TEXT) throw new Error(`${shown(address)} is larger than it should be`);
    parts.push(part);
  }
  return { text: Buffer.concat(parts).toString('utf8'), type: answer.headers['content-type'] ?? '' };
}

/** @param {URL} url @param {Headers} headers @returns {Headers} */
function withPassword(url, headers) {
  if (url.username === '') return headers;
  return { ...headers, authorization: basic(url) };
}

/** @param {URL} url */
function basic(url) {
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/**
 * @param {URL} url
 * @param {{ network: Network, headers: Headers, patience: Patience }} options
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
async function ask(url, { network, headers, patience }) {
  const proxy = network.proxyFor(url);
  const sent = { host: url.host, 'user-agent': 'extension-billing set-up', ...headers };
  const trust = network.authorities === undefined ? {} : { ca: [...network.authorities] };
  const common = { method: 'GET', agent: false, headers: sent };
  const target = { host: nameOf(url), port: portOf(url), path: `${url.pathname}${url.search}` };
  if (url.protocol !== 'https:') {
    if (proxy === undefined) return answered(httpRequest({ ...common, ...target }), url, patience);
    const via = { host: nameOf(proxy), port: portOf(proxy), path: url.href };
    const all = { ...common, ...via, ...trust, headers: { ...sent, ...proxyPassword(proxy) } };
    return answered(requestTo(proxy)(all), url, patience);
  }
  const tunnel = proxy === undefined ? {} : { socket: await connect(proxy, url, { trust, patience }) };
  const secure = { ...common, ...target, ...trust, ...tunnel, servername: nameOf(url) };
  return answered(httpsRequest(secure), url, patience);
}

/**
 * A way through the proxy to the host of an address.
 *
 * @param {URL} proxy @param {URL} url @param {{ trust: object, patience: Patience }} options
 * @returns {Promise<import('node:net').Socket>}
 */
function connect(proxy, url, { trust, patience }) {
  const goal = `${url.hostname}:${portOf(url)}`;
  const headers = { host: goal, ...proxyPassword(proxy) };
  const to = { host: nameOf(proxy), port: portOf(proxy), method: 'CONNECT', path: goal, headers };
  const request = requestTo(proxy)({ agent: false, ...to, ...trust });
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => request.destroy(new Error(`the proxy ${shown(proxy)} does not answer`)),
      patience.answer,
    );
    request.once('connect', ({ statusCode = 0 }, socket) => {
      clearTimeout(limit);
      if (statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy ${shown(proxy)} answers ${statusCode} for ${url.host}`));
    });
    request.once('error', (error) => {
      clearTimeout(limit);
      reject(new Error(`the proxy ${shown(proxy)} cannot be used: ${words(error)}`));
    });
    request.end();
  });
}

/**
 * @param {import('node:http').ClientRequest} request @param {URL} url @param {Patience} patience
 * @returns {Promise<import('node:http').IncomingMessage>}
 */
function answered(request, url, patience) {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => request.destroy(new Error(`no answer within ${patience.answer / 1000} s`)),
      patience.answer,
    );
    request.once('response', (answer) => {
      clearTimeout(limit);
      answer.setTimeout(patience.silence, () =>
        answer.destroy(new Error(`nothing came for ${patience.silence / 1000} s`)),
      );
      resolve(answer);
    });
    request.once('error', (error) => {
      clearTimeout(limit);
      reject(new Error(`${shown(url)} cannot be reached: ${words(error)}`));
    });
    request.end();
  });
}

/** @param {URL} proxy @returns {Headers} */
function proxyPassword(proxy) {
  return proxy.username === '' ? {} : { 'proxy-authorization': basic(proxy) };
}

/** @param {URL} url */
function requestTo(url) {
  return url.protocol === 'https:' ? httpsRequest : httpRequest;
}

/** @param {URL} url */
function nameOf(url) {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** @param {URL} url */
function portOf(url) {
  return Number(url.port || (url.protocol === 'https:' ? 443 : 80));
}

/** What an error says, also where Node puts several into one that says nothing. @param {unknown} error */
export function words(error) {
  if (error instanceof AggregateError && error.message === '') return words(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
