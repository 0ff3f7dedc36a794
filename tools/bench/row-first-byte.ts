import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import catalog from '../../examples/assistant/billing.config.ts';
import { createHandler } from '../../examples/assistant/function/handler.ts';
import { MODELS } from '../../examples/assistant/function/models.ts';
import { priceIn } from '../../examples/assistant/function/price.ts';
import { startUpstream } from '../../examples/assistant/upstream/serve.ts';
import { auth, firestore } from '../../functions/test/app/emulated-user.ts';
import { clientThrough } from '../../functions/test/fixtures/client-through.ts';
import { createBilling } from '../../packages/server/src/exports/in-process.ts';
import { compare, type Load, quantile, type Sample } from './measure.ts';
import type { Row } from './report.ts';
import { type BenchUser, pick, signUpUsers, type World } from './world.ts';

const LOADS = [
  { connections: 1, operations: 60 },
  { connections: 16, operations: 160 },
] as const;
const DISTANT_LOAD = { connections: 1, operations: 40 } as const;
const WARM_UP = { connections: 16, operations: 300 } as const;
const DISTANCE_MS = 10;
const USERS = 32;

/** An answer of some sentences, which the stand-in sends as fast as it is read. */
const TEXT = Array.from({ length: 60 }, (_, n) => `word ${n} `);
const ANSWER = { text: TEXT, usage: { input: 30, cached: 0, output: 180, reasoning: 0 } };
const ASKED = JSON.stringify({
  ...{ model: 'small', stream: true, messages: [{ role: 'user', content: 'What is a credit?' }] },
});

/** (k) What holding the credits of a model call adds before its first streamed byte. */
export async function benchFirstByte(world: World): Promise<readonly Row[]> {
  const upstream = await startUpstream(() => ANSWER);
  const users = await signUpUsers(world.firestore, USERS);
  const near = await serve(firestore, upstream.url);
  const distant = clientThrough(world.proxy);
  const far = await serve(distant, upstream.url);
  const bareUrl = `${upstream.url}/v1/chat/completions`;
  const rows: Row[] = [];
  try {
    await firstBytes(near.url, users, WARM_UP)();
    for (const load of LOADS) {
      rows.push(await rowOf(world, `${load.connections} at a time`, near.url, bareUrl, users, load));
    }
    await firstBytes(far.url, users, WARM_UP)();
    world.proxy.delayMs = DISTANCE_MS;
    const what = `1 at a time, ${DISTANCE_MS} ms to Firestore`;
    rows.push(await rowOf(world, what, far.url, bareUrl, users, DISTANT_LOAD));
    rows.push(await callsOf(world, far.url, pick(users, 0)));
  } finally {
    world.proxy.delayMs = 0;
    await Promise.all([near.close(), far.close(), upstream.close(), distant.terminate()]);
  }
  return rows;
}

async function rowOf(
  world: World,
  what: string,
  url: string,
  bareUrl: string,
  users: readonly BenchUser[],
  load: Load,
): Promise<Row> {
  const compared = await compare(world.options.rounds, {
    function: firstBytes(url, users, load),
    bare: firstBytes(bareUrl, users, load),
  });
  const [held, bare] = [compared.typical('p50', 'function'), compared.typical('p50', 'bare')];
  return {
    row: 'k',
    what: `first streamed byte of a metered model call, ${what}, beside the bare upstream's`,
    result: `${(held - bare).toFixed(1)} ms more (${held.toFixed(1)} ms against ${bare.toFixed(1)} ms; p90 ${compared.typical('p90', 'function').toFixed(1)} ms), ${compared.failures()} failed`,
    ...{ aim: '', met: null },
    figures: { added: held - bare, failures: compared.failures(), samples: compared.samples },
  };
}

/** Calls to Firestore of one model call, of a user seen lately: what its time is in production. */
async function callsOf({ proxy }: World, url: string, user: BenchUser): Promise<Row> {
  const before = proxy.calls.length;
  let atFirst = before;
  const time = await firstByte(url, user.idToken, () => {
    atFirst = proxy.calls.length;
  });
  if (time === null) throw new Error('the counted call failed');
  const [held, all] = [atFirst - before, proxy.calls.length - before];
  return {
    ...{ row: 'k', what: 'metered model call, of a user seen lately' },
    result: `Firestore: ${all} calls, ${held} before the first streamed byte`,
    ...{ aim: '≤ 1 before the first streamed byte', met: held <= 1 },
    figures: { before: held, all },
  };
}

/** The function of examples/assistant in this process, charging in process, too. */
async function serve(database: typeof firestore, upstreamUrl: string) {
  const charging = createBilling({ firestore: database, auth, catalog, name: 'bench' });
  const at = { url: `${upstreamUrl}/v1`, key: 'none' };
  const handler = createHandler({
    ...{ charging, models: MODELS, upstreams: { openai: at, anthropic: at, gemini: at } },
    priceOf: (feature) => priceIn(catalog, feature),
    ...{ idleMs: 10_000, callMs: 30_000, now: () => Date.now(), log: () => {} },
  });
  const server = createServer(handler);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/chat/completions`,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Streams through one address; what counts is the time to the first byte, and each stream is read to its end. */
function firstBytes(
  url: string,
  users: readonly BenchUser[],
  { connections, operations }: Load,
): () => Promise<Sample> {
  return async () => {
    const times: number[] = [];
    let [next, failures] = [0, 0];
    const started = performance.now();
    const worker = async (): Promise<void> => {
      while (next < operations) {
        next += 1;
        const time = await firstByte(url, pick(users, next).idToken);
        if (time === null) failures += 1;
        else times.push(time);
      }
    };
    await Promise.all(Array.from({ length: connections }, worker));
    const seconds = (performance.now() - started) / 1000;
    return {
      ...{ operations, failures, cpu: null, perSecond: times.length / seconds },
      ...{ p50: quantile(times, 0.5), p90: quantile(times, 0.9) },
    };
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Milliseconds; null where no whole stream came. */
function firstByte(url: string, token: string, onFirst = () => {}): Promise<number | null> {
  return new Promise((resolve) => {
    const from = performance.now();
    let first: number | null = null;
    let last = '';
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(ASKED)),
      authorization: `Bearer ${token}`,
    };
    request(url, { method: 'POST', agent, headers }, (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        if (first === null) onFirst();
        first ??= performance.now() - from;
        last = (last + chunk).slice(-40);
      });
      answer.once('error', () => resolve(null));
      answer.once('end', () => resolve(answer.statusCode === 200 && last.includes('[DONE]') ? first : null));
    })
      .once('error', () => resolve(null))
      .end(ASKED);
  });
}
