import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request with a body that the served pages made. */
export type Posted = { path: string; type: string; body: string };

/** What is served under a path: a document as text, anything else as JSON, an Error as a refusal (404 or 400). */
export type Served = Map<string, unknown>;

/** Serves fixtures on a free port of this machine and remembers what was posted. */
export async function servePages(served: Served) {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const answer = served.get(path);
    if (request.method === 'POST') {
      posted.push({ path, type: request.headers['content-type'] ?? '', body: await text(request) });
    }
    if (answer instanceof Error || (answer === undefined && request.method === 'GET')) {
      const refusal = answer instanceof Error ? answer.message : `Unknown path ${path}`;
      response.writeHead(answer === undefined ? 404 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: refusal } }));
    } else if (request.method === 'POST') {
      // No content: the browser stays where it is, so no navigation runs into the next step of a test.
      response.writeHead(204).end();
    } else if (typeof answer === 'string') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(answer);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    posted,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
