// Serves the built bundle as Cloud Run does, in one process: node direct-server.mjs <bundle> <port> [<path>]
// The framework's own command listens on every interface; this one listens on 127.0.0.1.
import { subscribe } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';

const [bundle, port, path = '/'] = process.argv.slice(2);
if (bundle === undefined || port === undefined)
  throw new Error('usage: direct-server.mjs <bundle> <port> [<path>]');

// Google's front end removes the function's path. A listener of the server wouldn't last: the function replaces them all
// (serveDirectly in functions/src/platform/patches.ts).
subscribe('http.server.request.start', (message) => {
  const { request } = /** @type {{ request: import('node:http').IncomingMessage }} */ (message);
  const { url = '' } = request;
  if (path !== '/' && url.startsWith(`${path}/`)) request.url = url.slice(path.length);
});

const { api } = createRequire(import.meta.url)(bundle);
http('api', api);
const server = getTestServer('api');
server.setTimeout(0);
server.listen(Number(port), '127.0.0.1', () => console.log(`serving ${bundle} on port ${port}`));
