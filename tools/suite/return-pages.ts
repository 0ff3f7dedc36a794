import { readFile } from 'node:fs/promises';
import {
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDocument } from '../../functions/openapi/document.ts';
import {
  EXTENSIONS_FILE,
  extensionsModule,
  PRODUCTS_FILE,
} from '../../packages/cli/src/local/extensions-file.ts';
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
      // As Firebase Hosting does it.
      const body = await readFile(join(folder, '404.html')).catch(() => 'There is no such page.\n');
      response.writeHead(404, { 'content-type': TYPES['.html'] }).end(body);
    }
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => resolve(server));
  });
}

/**
 * The files that a deployment writes: the configured extensions for `sign-in.html`, names of products for `success.html`.
 *
 * @param products the module's text; without it, the one in the folder
 * @returns a handler that answers these addresses and tells whether it did
 */
export function extensionsFile(ids: readonly string[], products = '') {
  return ({ url = '/' }: IncomingMessage, response: ServerResponse): boolean => {
    const file = `public${new URL(url, 'http://localhost').pathname}`;
    if (file !== EXTENSIONS_FILE && (file !== PRODUCTS_FILE || products === '')) return false;
    response
      .writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' })
      .end(file === PRODUCTS_FILE ? products : extensionsModule(ids));
    return true;
  };
}

/** Where the page lies on the server of the return pages. */
export const API_PAGE = '/api/';

interface ApiPageAddresses {
  readonly root: string;
  /** The function's address; requests of the page go to it through `try/`, since its CORS is for extensions only. */
  readonly billing: string;
  /** `http://host:port` */
  readonly authEmulator: string;
}

const PAGE_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};
const OWN = ['index.html', 'page.css', 'page.js'];
const OF_SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * The OpenAPI document as a page to try it, complete without internet: swagger-ui from node_modules.
 *
 * @returns a handler that answers what lies under API_PAGE and tells whether it did.
 */
export function apiPage({ root, billing, authEmulator }: ApiPageAddresses) {
  const own = fileURLToPath(new URL('./api-page', import.meta.url));
  const policy = `default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ${authEmulator}; frame-ancestors 'none'`;

  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const url = request.url ?? '/';
    if (!url.startsWith(API_PAGE)) return false;
    if (url.startsWith(`${API_PAGE}try/`)) {
      forward(request, response, `${billing}/${url.slice(API_PAGE.length + 'try/'.length)}`);
      return true;
    }
    const name = new URL(url, 'http://localhost').pathname.slice(API_PAGE.length) || 'index.html';
    read(name).then(
      ([type, body]) =>
        response
          .writeHead(200, {
            'content-type': type,
            'cache-control': 'no-store',
            'content-security-policy': policy,
          })
          .end(body),
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('There is no such page.\n'),
    );
    return true;
  };

  async function read(name: string): Promise<readonly [string, string | Buffer]> {
    if (name === 'settings.json') return ['application/json', JSON.stringify({ authEmulator })];
    if (name === 'openapi.json') {
      // With the names that this suite sells, to choose from.
      const { catalog } = await import('../../packages/cli/src/local/catalog.ts');
      const document = makeDocument(catalog) as object;
      const servers = [{ url: `${API_PAGE}try`, description: `passed on to ${billing}` }];
      return ['application/json', JSON.stringify({ ...document, servers })];
    }
    const type = PAGE_TYPES[extname(name)] ?? 'text/plain';
    if (OWN.includes(name)) return [type, await readFile(join(own, name))];
    if (OF_SWAGGER_UI.includes(name)) {
      return [type, await readFile(join(root, 'node_modules', 'swagger-ui-dist', name))];
    }
    throw new Error(`there is no ${name}`);
  }
}

/** Passes a request on as it is, and its answer back. */
function forward(request: IncomingMessage, response: ServerResponse, to: string): void {
  const { host: _host, origin: _origin, connection: _connection, ...headers } = request.headers;
  const passed = ask(to, { method: request.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  passed.once('error', () => {
    if (!response.headersSent) response.writeHead(502);
    response.end('The function does not answer.\n');
  });
  request.pipe(passed);
}
