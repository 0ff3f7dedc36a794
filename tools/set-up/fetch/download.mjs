// A file from the internet, whole and checked, or not at all.
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { open, Refused, words } from './request.mjs';

/** @typedef {import('./network.mjs').Network} Network */
/**
 * @typedef {object} Piece
 * @property {string} url
 * @property {string} name of the file
 * @property {string} sha256 of the whole, in hexadecimal digits
 * @property {number} largest bytes; what is longer is not what was asked for
 */

const TRIES = 4;

/** What came is not what was promised. */
export class WrongChecksum extends Error {
  /** @param {Piece} piece @param {string} came */
  constructor({ name, sha256 }, came) {
    super(`${name} is not what it should be: its SHA-256 is ${came}, not ${sha256}. It was thrown away`);
  }
}

/**
 * Brings a file into a folder. What is cut off goes on from there, now or at the next start, as far as the other side
 * lets it; nothing has the file's name before its checksum is right.
 *
 * @param {Piece} piece
 * @param {{ network: Network, folder: string, pause?: number, patience?: import('./request.mjs').Patience,
 *   tell?: (bytes: number) => void, tellEveryMs?: number }} options
 *   `pause`: milliseconds before the second try; `tell` hears from time to time how much has come
 * @returns {Promise<string>} the path of the file
 * @throws {WrongChecksum | Refused | Error} saying why it cannot be had.
 */
export async function download(piece, options) {
  const { folder, pause = 500 } = options;
  mkdirSync(folder, { recursive: true });
  const whole = join(folder, piece.name);
  if (existsSync(whole) && (await checksum(whole)) === piece.sha256) return whole;
  // Named by the checksum: the rest of another version is not the rest of this one.
  const part = `${whole}.${piece.sha256.slice(0, 16)}.part`;
  for (let count = 1; ; count++) {
    const begunBefore = sizeOf(part) > 0;
    try {
      await fetchRest(piece, part, options);
      const came = await checksum(part);
      if (came === piece.sha256) {
        renameSync(part, whole);
        return whole;
      }
      rmSync(part);
      // Two halves of different files: the whole of one may still be right.
      if (!begunBefore) throw new WrongChecksum(piece, came);
    } catch (error) {
      const isFinal = error instanceof WrongChecksum || (error instanceof Refused && isForGood(error.status));
      if (isFinal || count === TRIES || (sizeOf(part) === 0 && count === 2)) throw error;
    }
    await wait(pause * count);
  }
}

/**
 * @param {Piece} piece @param {string} part @param {Parameters<typeof download>[1]} options
 */
async function fetchRest({ url, name, largest }, part, { network, patience, tell, tellEveryMs = 10_000 }) {
  const begun = sizeOf(part);
  const headers = { 'accept-encoding': 'identity', ...(begun > 0 ? { range: `bytes=${begun}-` } : {}) };
  const how = patience === undefined ? { network, headers } : { network, headers, patience };
  const answer = await open(url, how).catch((error) => {
    // Nothing is left to send, or this side has too much.
    if (error instanceof Refused && error.status === 416) rmSync(part);
    throw error;
  });
  const goesOn = answer.statusCode === 206 && answer.headers['content-range']?.startsWith(`bytes ${begun}-`);
  const from = goesOn ? begun : 0;
  const length = Number(answer.headers['content-length'] ?? Number.NaN);
  let size = from;
  const counted = async function* (/** @type {AsyncIterable<Buffer>} */ source) {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > largest) throw new Error(`${name} is larger than it should be`);
      yield bytes;
    }
  };
  const telling = setInterval(() => tell?.(size), tellEveryMs);
  try {
    await pipeline(answer, counted, createWriteStream(part, { flags: goesOn ? 'a' : 'w' }));
  } catch (error) {
    if (size > largest) rmSync(part, { force: true });
    throw new Error(`${name} was cut off after ${size} bytes: ${words(error)}`);
  } finally {
    clearInterval(telling);
  }
  if (size < from + length) throw new Error(`${name} was cut off after ${size} bytes`);
}

/** @param {number} status */
function isForGood(status) {
  return status < 500 && ![408, 416, 429].includes(status);
}

/** @param {string} file */
async function checksum(file) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** @param {string} file */
function sizeOf(file) {
  return existsSync(file) ? statSync(file).size : 0;
}
