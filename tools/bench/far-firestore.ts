import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What the process of the store at a distance is asked: to be so far away, or what went through it. */
export type FarOrder = { readonly kind: 'distance'; readonly ms: number } | { readonly kind: 'take calls' };
export type FarAnswer =
  | { readonly kind: 'listens'; readonly address: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'calls'; readonly calls: CallCounts };

/** Calls by the last part of their gRPC path (`Commit`, `BatchGetDocuments`, …). */
export type CallCounts = Readonly<Record<string, number>>;

/** The store behind a way that takes time, in a process of its own: the load's generator does none of its work. */
export interface FarFirestore {
  /** `host:port` to give to a client. */
  readonly address: string;
  /** Puts a round trip in front of each call: four fifths of it always, the rest as a wait with an exponential tail. */
  setDistance(ms: number): Promise<void>;
  /** The calls since this was asked before. */
  takeCalls(): Promise<CallCounts>;
  end(): void;
}

const program = fileURLToPath(new URL('./far-firestore-process.ts', import.meta.url));

export async function startFarFirestore(): Promise<FarFirestore> {
  const child = fork(program, { env: process.env });
  const next = async (): Promise<FarAnswer> => {
    const [answer] = (await once(child, 'message')) as [FarAnswer];
    return answer;
  };
  const ask = async (order: FarOrder): Promise<FarAnswer> => {
    const answered = next();
    child.send(order);
    return answered;
  };
  const first = await next();
  if (first.kind !== 'listens') throw new Error(`the store at a distance said "${first.kind}" first`);
  return {
    address: first.address,
    async setDistance(ms) {
      await ask({ kind: 'distance', ms });
    },
    async takeCalls() {
      const answer = await ask({ kind: 'take calls' });
      if (answer.kind !== 'calls') throw new Error(`the store at a distance answered "${answer.kind}"`);
      return answer.calls;
    },
    end: () => void child.kill(),
  };
}
