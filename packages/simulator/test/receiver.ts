import { createServer } from 'node:http';
import { readBody } from '../src/http/read-body.ts';
import { closeAfterTest } from './harness.ts';

interface Received {
  type: string;
  id: string;
  body: string;
  signature: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  types: () => string[];
  /** Statuses of the next answers; 200 when there are none left. */
  answers: number[];
  /** The most requests that were open at once. */
  mostAtOnce: () => number;
}

/** A webhook endpoint of the test's own. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const answers: number[] = [];
  let open = 0;
  let most = 0;
  const server = createServer(async (request, response) => {
    open += 1;
    most = Math.max(most, open);
    const body = await readBody(request);
    const event = JSON.parse(body);
    const signature = String(request.headers['stripe-signature']);
    received.push({ type: event.type, id: event.id, body, signature });
    setImmediate(() => {
      open -= 1;
      response.writeHead(answers.shift() ?? 200).end('noted');
    });
  });
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
  closeAfterTest({
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers,
    types: () => received.map((one) => one.type),
    mostAtOnce: () => most,
  };
}
