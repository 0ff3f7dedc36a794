import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Door, Incoming, Outgoing } from '../ask.ts';

/**
 * Sends requests to an app as they come over HTTP, through a pair of streams in memory instead of a socket: Node's own
 * parser on both sides, so the app sees nothing that it would not see otherwise
 * (docs/decisions/service-callers.md#a-backend-in-the-same-project-runs-the-service-itself).
 */
export function loopback(app: RequestListener): Door['send'] {
  // It never listens: connections are handed to it, which Node documents for its event "connection".
  const server = createServer(app);

  return async ({ method, path, headers, body, signal }) => {
    const createConnection = () => {
      const [near, far] = duplexPair();
      server.emit('connection', far);
      return near;
    };
    const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const outgoing = request({ method, path, headers: { ...headers, ...length }, createConnection, signal });
    return incomingOf(await answerTo(outgoing, body));
  };
}

function answerTo(outgoing: ReturnType<typeof request>, body: Outgoing['body']): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end(body);
  });
}

async function incomingOf(response: IncomingMessage): Promise<Incoming> {
  const { statusCode = 0, headers } = response;
  return {
    status: statusCode,
    header: (name) => headers[name.toLowerCase()]?.toString() ?? null,
    text: await text(response),
  };
}
