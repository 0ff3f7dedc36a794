import type { FirestoreProxy, WatchedCall } from '../../functions/test/fixtures/firestore-proxy.ts';
import { countField, messagesIn } from './grpc-frames.ts';

/** What Firestore bills, and what it makes a caller wait for. */
export interface FirestoreCost {
  /** Calls on the wire; each is a round trip. */
  readonly calls: readonly string[];
  /** Documents that were looked for, found or not: a missing one is billed too. */
  readonly reads: number;
  readonly writes: number;
}

/** Fields of google.firestore.v1: the answers of reads say `found` or `missing`, a commit names its writes. */
const FOUND = 1;
const MISSING = 2;
const WRITES = 2;
const DOCUMENT = 1;

/** Counts what went through the proxy while `work` ran, by looking into the calls. */
export async function costOf(proxy: FirestoreProxy, work: () => Promise<unknown>): Promise<FirestoreCost> {
  const calls: WatchedCall[] = [];
  proxy.watch = (call) => calls.push(call);
  const before = proxy.calls.length;
  try {
    await work();
    // A call is over a moment after its answer.
    while (calls.length < proxy.calls.length - before) await new Promise((turn) => setTimeout(turn, 1));
  } finally {
    proxy.watch = null;
  }
  return addUp(calls);
}

export function addUp(calls: readonly WatchedCall[]): FirestoreCost {
  const sum = { reads: 0, writes: 0 };
  for (const { method, request, response } of calls) {
    if (method === 'BatchGetDocuments') sum.reads += count(response, FOUND) + count(response, MISSING);
    else if (method === 'RunQuery') sum.reads += Math.max(1, count(response, DOCUMENT));
    else if (method === 'Commit') sum.writes += isAnswered(response) ? count(request, WRITES) : 0;
    else if (method !== 'BeginTransaction' && method !== 'Rollback') {
      throw new Error(`nobody has said what a ${method} costs`);
    }
  }
  return { calls: calls.map(({ method }) => method), ...sum };
}

/** A commit that is refused writes nothing, and its answer has no message. */
const isAnswered = (response: Uint8Array): boolean => messagesIn(response).length > 0;

const count = (body: Uint8Array, field: number): number =>
  messagesIn(body).reduce((sum, message) => sum + countField(message, field), 0);
