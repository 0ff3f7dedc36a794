import { createServer, type Server } from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';

/** The one user that the stand-ins know, and whose record is not there yet. */
export const USER = 'warm-up';

/** The port that a server listens on, on this machine only. */
export async function listen(server: Server | Http2Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return (server.address() as AddressInfo).port;
}

/** Answers the look-up of a user that firebase-admin makes when it checks a token of the auth emulator. */
export function answerAsAuth(): Server {
  const body = JSON.stringify({ users: [{ localId: USER, validSince: '0' }] });
  return createServer((_req, res) => res.setHeader('content-type', 'application/json').end(body));
}

/**
 * Answers Firestore's gRPC API as an empty database would: of the documents of a batched read none is there, and every
 * commit succeeds. That is what a first request needs, also one that gives free credits.
 */
export function answerAsFirestore(): Http2Server {
  return createHttp2Server().on('stream', (stream, headers) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    const sent: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => sent.push(chunk));
    stream.on('end', () => {
      const request = fieldsOf(Buffer.concat(sent).subarray(FRAME));
      stream.end(Buffer.concat(answersTo(String(headers[':path']), request).map(framed)));
    });
  });
}

const FRAME = 5;
const TRANSACTION = Buffer.from('warm-up');
const AT_ONCE = bytes(1, Buffer.alloc(0));

/** The messages of an answer: fields by google.firestore.v1's numbers. */
function answersTo(path: string, request: readonly (readonly [number, Buffer])[]): readonly Buffer[] {
  const all = (field: number) => request.filter(([number]) => number === field).map(([, value]) => value);
  if (path.endsWith('/BeginTransaction')) return [bytes(1, TRANSACTION)];
  if (path.endsWith('/Commit'))
    return [Buffer.concat([...all(2).map(() => bytes(1, AT_ONCE)), bytes(2, Buffer.alloc(0))])];
  // BatchGetDocuments: `missing` and `read_time`, and the transaction that it was asked to begin.
  const begun = all(5).length > 0 ? [bytes(3, TRANSACTION)] : [];
  return [...begun, ...all(2).map((name) => Buffer.concat([bytes(2, name), bytes(4, Buffer.alloc(0))]))];
}

/** The fields of a protobuf message that hold bytes, texts or messages; others are skipped. */
function fieldsOf(message: Buffer): readonly (readonly [number, Buffer])[] {
  const found: [number, Buffer][] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const kind = tag % 8;
    if (kind === 2) {
      const length = varint();
      found.push([Math.floor(tag / 8), message.subarray(at, at + length)]);
      at += length;
    } else if (kind === 0) varint();
    else at += kind === 1 ? 8 : 4;
  }
  return found;
}

function bytes(field: number, value: Buffer): Buffer {
  const length: number[] = [];
  for (let left = value.length; ; left >>= 7) {
    length.push(left > 127 ? (left & 127) | 128 : left);
    if (left <= 127) return Buffer.concat([Buffer.from([field * 8 + 2, ...length]), value]);
  }
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(FRAME);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}
