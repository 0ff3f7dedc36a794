// Serves the built bundle as Cloud Run does, in one process: node direct-server.mjs <bundle> <port>
// The framework's own command listens on every interface; this one listens on 127.0.0.1.
import { createRequire } from 'node:module';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';

const [bundle, port] = process.argv.slice(2);
if (bundle === undefined || port === undefined) throw new Error('usage: direct-server.mjs <bundle> <port>');

const { api } = createRequire(import.meta.url)(bundle);
http('api', api);
const server = getTestServer('api');
server.setTimeout(0);
server.listen(Number(port), '127.0.0.1', () => console.log(`serving ${bundle} on port ${port}`));
