import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What goes wrong with a request that matches. */
type Fault =
  /** The service answers this instead of doing anything. */
  | { readonly kind: 'answer'; readonly status: number; readonly body: object }
  /** The request does not arrive. */
  | { readonly kind: 'refuse' }
  /** The service does its work and the answer is lost on the way back. */
  | { readonly kind: 'lose_answer' }
  /** The service does its work and the answer is held back until `heal`. */
  | { readonly kind: 'hold_answer' };

export interface FaultProxy {
  readonly url: string;
  /** Path and body of every request that a fault met or that passed, preflights left out. */
  readonly requests: readonly SeenRequest[];
  /** The next `times` requests whose path matches meet the fault; without a number, all until `heal`. */
  fail(path: RegExp, fault: Fault, times?: number): void;
  /** No more faults; answers that were held go out. */
  heal(): void;
  close(): Promise<void>;
}
interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
}

/** Stands before one service of the suite and makes it fail in the ways that networks do. */
export async function startFaultProxy(upstream: string): Promise<FaultProxy> {
  const target = new URL(upstream);
  const requests: SeenRequest[] = [];
  const held = new Set<() => void>();
  /** How often it was healed: an answer that comes after that is not held. */
  let heals = 0;
  let rules: { path: RegExp; fault: Fault; times: number }[] = [];

  function faultFor({ method, url = '' }: IncomingMessage): Fault | null {
    // A preflight that fails hides what its request would have met.
    if (method === 'OPTIONS') return null;
    const rule = rules.find(({ path, times }) => times > 0 && path.test(url));
    if (rule === undefined) return null;
    rule.times--;
    return rule.fault;
  }

  const server = createServer((incoming, outgoing) => {
    const fault = faultFor(incoming);
    const before = heals;
    if (incoming.method !== 'OPTIONS') requests.push({ path: incoming.url ?? '', headers: incoming.headers });
    if (fault?.kind === 'refuse') return void incoming.socket.destroy();
    if (fault?.kind === 'answer') return answer(outgoing, fault.status, fault.body);
    const onward = forward(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, host: target.host },
      },
      (response) => {
        const send = (): void => {
          outgoing.writeHead(response.statusCode ?? 502, response.headers);
          response.pipe(outgoing);
        };
        if (fault?.kind === 'lose_answer') {
          response.resume();
          response.on('end', () => incoming.socket.destroy());
        } else if (fault?.kind === 'hold_answer' && heals === before) held.add(send);
        else send();
      },
    );
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    fail: (path, fault, times = Number.POSITIVE_INFINITY) => void rules.push({ path, fault, times }),
    heal() {
      heals += 1;
      rules = [];
      for (const send of held) send();
      held.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(outgoing: ServerResponse, status: number, body: object): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'access-control-allow-origin': '*' });
  outgoing.end(JSON.stringify(body));
}
