// node --conditions=extension-billing-source function/local.ts: the function on a port, beside `npm start`. Without
// OPENAI_API_KEY a stand-in for the model answers.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { start } from './index.ts';
import { echo, startStandIn } from './stand-in.ts';

const PORT = Number(process.env.ASSISTANT_PORT ?? 5070);

// The addresses of `npm start`, unless the environment has others.
process.env.GCLOUD_PROJECT ??= 'demo-extension-billing';
process.env.FIRESTORE_EMULATOR_HOST ??= '127.0.0.1:8080';
process.env.FIREBASE_AUTH_EMULATOR_HOST ??= '127.0.0.1:9099';

if (!process.env.OPENAI_API_KEY) {
  const { url } = await startStandIn(({ body }) => ({ ...echo(body), everyMs: 40 }));
  Object.assign(process.env, { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: url });
  console.log('OPENAI_API_KEY is not set: the stand-in model answers.');
}

const server = createServer(start());
server.listen(PORT, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(`The assistant listens at http://127.0.0.1:${port}/v1 now. Ctrl+C ends it.`);
});
