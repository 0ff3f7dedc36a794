// Loaded into every process of `npm test` (NODE_OPTIONS=--require): writes down what its Firestore client sends, so that
// the last phase can hold it to firestore.indexes.json (tools/check-queries.ts). Queries are kept whole, commits by
// their shapes. Nothing is changed, and a process that makes no HTTP/2 connection pays nothing.
const { appendFileSync, mkdirSync } = require('node:fs');
const Module = /** @type {{ _load(name: string, ...rest: unknown[]): any }} */ (
  /** @type {unknown} */ (require('node:module'))
);
const { join } = require('node:path');
const { threadId } = require('node:worker_threads');

const folder = process.env.FIRESTORE_TRAFFIC;
const QUERIES = new Set(['RunQuery', 'RunAggregationQuery', 'Listen']);
const COMMITS = new Set(['Commit', 'BatchWrite']);
const SERVICE = '/google.firestore.v1.Firestore/';

if (folder) {
  const load = Module._load;
  let isWatched = false;
  Module._load = function (/** @type {string} */ name, /** @type {unknown[]} */ ...rest) {
    const loaded = load.call(this, name, ...rest);
    if (!isWatched && (name === 'http2' || name === 'node:http2')) {
      isWatched = true;
      watch(loaded);
    }
    return loaded;
  };
}

/** @param {typeof import('node:http2')} http2 */
function watch(http2) {
  const { connect } = http2;
  /** @type {(...about: Parameters<typeof connect>) => import('node:http2').ClientHttp2Session} */
  const watched = (...about) => {
    const session = connect(...about);
    const { request } = session;
    session.request = (headers, ...options) => {
      const stream = request.call(session, headers, ...options);
      const { ':path': path = '' } = /** @type {Record<string, string>} */ (headers ?? {});
      const method = path.startsWith(SERVICE) ? path.slice(SERVICE.length) : '';
      if (QUERIES.has(method) || COMMITS.has(method)) follow(stream, method);
      return stream;
    };
    return session;
  };
  http2.connect = /** @type {typeof connect} */ (watched);
}

/**
 * @param {import('node:http2').ClientHttp2Stream} stream
 * @param {string} method
 */
function follow(stream, method) {
  /** @type {Buffer} */
  let waiting = Buffer.alloc(0);
  const { write } = stream;
  /** @param {any[]} about */
  stream.write = (...about) => {
    const [chunk] = about;
    if (Buffer.isBuffer(chunk)) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      // A byte of flags and four of length stand before each message.
      while (waiting.length >= 5 && waiting.length >= 5 + waiting.readUInt32BE(1)) {
        const end = 5 + waiting.readUInt32BE(1);
        keep(method, waiting.subarray(5, end));
        waiting = waiting.subarray(end);
      }
    }
    return write.apply(stream, /** @type {[any, any, any]} */ (about));
  };
}

/** @type {Map<string, number>} */
const largest = new Map();

/**
 * @param {string} method
 * @param {Buffer} message
 */
function keep(method, message) {
  if (COMMITS.has(method)) {
    const { readCommit, signatureOf } = require('./write-shape.ts');
    const signature = signatureOf(readCommit(message));
    // A larger one of the same shape is news again, by a quarter at a time.
    if (message.length <= (largest.get(signature) ?? -1) * 1.25) return;
    largest.set(signature, message.length);
  }
  mkdirSync(folder ?? '', { recursive: true });
  const line = JSON.stringify({ method, message: message.toString('base64') });
  appendFileSync(join(folder ?? '', `firestore-${process.pid}-${threadId}.jsonl`), `${line}\n`);
}
