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

/** Answers every batched read of Firestore's gRPC API: neither the user's record nor the consume's entry is there. */
export function answerAsFirestore(project: string): Http2Server {
  const customer = `projects/${project}/databases/(default)/documents/customers/${USER}`;
  const missing = [customer, `${customer}/credit_ledger/consume_warm-up`].map(missingDocument);
  return createHttp2Server().on('stream', (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.on('end', () => stream.end(Buffer.concat(missing)));
    stream.resume();
  });
}

/** A BatchGetDocumentsResponse in its gRPC frame: `missing` (field 2) and an empty `read_time` (field 4). */
function missingDocument(name: string): Buffer {
  const message = Buffer.concat([
    Buffer.from([0x12, name.length]),
    Buffer.from(name),
    Buffer.from([0x22, 0]),
  ]);
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  return Buffer.concat([frame, message]);
}
