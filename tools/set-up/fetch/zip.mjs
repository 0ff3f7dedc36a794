// What is in a zip file (a wheel, a release for Windows), by its central directory (PKWARE's APPNOTE 4.3).
import { inflateRawSync } from 'node:zlib';

/** @typedef {import('./unpack.mjs').Entry} Entry */

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_LENGTH = 22;
const CENTRAL_LENGTH = 46;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;
const UNIX = 3;
const LINK = 0o120000;
const SORT = 0o170000;

/**
 * @param {Buffer} bytes
 * @returns {Generator<Entry>}
 * @throws {Error} where it is no zip file, or one of a sort that nobody makes for this: encrypted, above 4 GB.
 */
export function* entriesOfZip(bytes) {
  const end = endOf(bytes);
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (bytes.readUInt32LE(at) !== CENTRAL) throw new Error('this zip file’s directory is broken');
    const flags = bytes.readUInt16LE(at + 8);
    const method = bytes.readUInt16LE(at + 10);
    const packed = bytes.readUInt32LE(at + 20);
    const size = bytes.readUInt32LE(at + 24);
    const nameLength = bytes.readUInt16LE(at + 28);
    const rest = bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const attributes = bytes.readUInt32LE(at + 38);
    const local = bytes.readUInt32LE(at + 42);
    const name = bytes.toString('utf8', at + CENTRAL_LENGTH, at + CENTRAL_LENGTH + nameLength);
    const mode = bytes.readUInt8(at + 5) === UNIX ? attributes >>> 16 : 0;
    at += CENTRAL_LENGTH + nameLength + rest;
    if ((flags & 1) !== 0) throw new Error(`${name} is encrypted`);
    if (name.endsWith('/')) {
      yield { name, sort: 'folder' };
      continue;
    }
    const data = dataOf(bytes, { name, method, packed, size, local });
    if ((mode & SORT) === LINK) yield { name, sort: 'link', target: data.toString('utf8') };
    else yield { name, sort: 'file', data, isProgram: (mode & 0o111) !== 0 };
  }
}

/** @param {Buffer} bytes */
function endOf(bytes) {
  // A comment of up to 64 kB may stand behind it.
  const first = Math.max(0, bytes.length - END_LENGTH - 0xffff);
  for (let at = bytes.length - END_LENGTH; at >= first; at--) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw new Error('this is no zip file');
}

/**
 * @param {Buffer} bytes
 * @param {{ name: string, method: number, packed: number, size: number, local: number }} entry
 */
function dataOf(bytes, { name, method, packed, size, local }) {
  if (packed === 0xffffffff || size === 0xffffffff || local === 0xffffffff) {
    throw new Error(`${name} is too large for this reader of zip files`);
  }
  if (bytes.readUInt32LE(local) !== LOCAL) throw new Error(`${name} is not where the directory says`);
  const begin = local + LOCAL_LENGTH + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const raw = bytes.subarray(begin, begin + packed);
  if (method !== STORED && method !== DEFLATED) throw new Error(`${name} is packed in an unknown way`);
  const data = method === STORED ? raw : inflateRawSync(raw, { maxOutputLength: Math.max(size, 1) });
  if (data.length !== size) throw new Error(`${name} is cut off`);
  return data;
}
