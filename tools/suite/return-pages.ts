import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { HOST } from '../../packages/cli/src/local/ports.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Serves a folder's pages as hosting does in production. Resolves when it listens.
 *
 * @param first answers what is not of that folder, and tells whether it did
 */
export function serveReturnPages(
  folder: string,
  port: number,
  first: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (first(request, response)) return;
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', `http://${HOST}`).pathname));
    const file = join(folder, path);
    const type = TYPES[extname(file)];
    try {
      if (type === undefined || !file.startsWith(folder + sep)) throw new Error('not a page');
      const body = await readFile(file);
      response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n');
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => resolve(server));
  });
}
