// One run of the function: node function-host.mjs <port>, with an IPC channel. It loads the packages first, then waits
// for the path of a bundle: so a change costs the time of its own files, and not that of the SDKs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';

const [port] = process.argv.slice(2);
const manifest = new URL('../../functions/package.json', import.meta.url);
const require = createRequire(manifest);
const PRELOADED = [
  'express',
  'firebase-admin/app',
  'firebase-admin/auth',
  'firebase-admin/firestore',
  'firebase-functions/v2/https',
  'firebase-functions/v2/scheduler',
  'stripe',
];
const known = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies);
for (const name of PRELOADED) if (known.some((one) => name.startsWith(one))) require(name);
process.send?.('standing by');

process.on('message', (bundle) => {
  const { api } = require(String(bundle));
  http('api', api);
  const server = getTestServer('api');
  server.setTimeout(0);
  server.listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
});
process.on('disconnect', () => process.exit());
