// What is in a tar file packed by gzip (a release for Linux or macOS): POSIX ustar with pax headers, and GNU's long
// names.
import { gunzipSync } from 'node:zlib';

/** @typedef {import('./unpack.mjs').Entry} Entry */

const BLOCK = 512;

/**
 * @param {Buffer} packed
 * @returns {Generator<Entry>}
 * @throws {Error} where it is no such file, or cut off.
 */
export function* entriesOfTar(packed) {
  const bytes = gunzipSync(packed);
  /** @type {{ path?: string, linkpath?: string }} what a header says of the entry behind it */
  let told = {};
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const head = bytes.subarray(at, at + BLOCK);
    if (head.every((byte) => byte === 0)) return;
    if (text(head, 257, 5) !== 'ustar' || !isSumRight(head)) throw new Error('this is no tar file');
    const size = octal(head, 124, 12);
    const data = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (data.length < size) throw new Error('this tar file is cut off');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const kind = String.fromCharCode(head[156] ?? 0);
    if (kind === 'x') told = { ...told, ...paxOf(data) };
    else if (kind === 'L') told = { ...told, path: text(data, 0, size) };
    else if (kind === 'K') told = { ...told, linkpath: text(data, 0, size) };
    else if (kind !== 'g') {
      const entry = entryOf(head, kind, data, told);
      if (entry !== undefined) yield entry;
      told = {};
    }
  }
}

/**
 * @param {Buffer} head @param {string} kind @param {Buffer} data
 * @param {{ path?: string, linkpath?: string }} told
 * @returns {Entry | undefined}
 */
function entryOf(head, kind, data, told) {
  const prefix = text(head, 345, 155);
  // GNU's own sort has times in the place of the prefix.
  const isPosix = text(head, 257, 8) !== 'ustar  ';
  const short = isPosix && prefix !== '' ? `${prefix}/${text(head, 0, 100)}` : text(head, 0, 100);
  const name = told.path ?? short;
  if (kind === '5') return { name, sort: 'folder' };
  if (kind === '2') return { name, sort: 'link', target: told.linkpath ?? text(head, 157, 100) };
  if (kind === '0' || kind === '\0') {
    return { name, sort: 'file', data, isProgram: (octal(head, 100, 8) & 0o111) !== 0 };
  }
  throw new Error(`${name} is of a sort that is not unpacked here`);
}

/** @param {Buffer} data lines of `<length> <key>=<value>\n` */
function paxOf(data) {
  /** @type {Record<string, string>} */
  const found = {};
  for (let at = 0; at < data.length; ) {
    const space = data.indexOf(0x20, at);
    const length = Number(data.toString('utf8', at, space));
    if (space < 0 || !(length > 0)) throw new Error('this tar file’s headers are broken');
    const line = data.toString('utf8', space + 1, at + length - 1);
    const middle = line.indexOf('=');
    found[line.slice(0, middle)] = line.slice(middle + 1);
    at += length;
  }
  const { path, linkpath } = found;
  return { ...(path === undefined ? {} : { path }), ...(linkpath === undefined ? {} : { linkpath }) };
}

/** @param {Buffer} head */
function isSumRight(head) {
  const sum = head.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum === octal(head, 148, 8);
}

/** @param {Buffer} bytes @param {number} at @param {number} length */
function text(bytes, at, length) {
  const all = bytes.subarray(at, at + length);
  const end = all.indexOf(0);
  return all.toString('utf8', 0, end < 0 ? all.length : end);
}

/** @param {Buffer} bytes @param {number} at @param {number} length */
function octal(bytes, at, length) {
  return Number.parseInt(text(bytes, at, length).trim() || '0', 8);
}
