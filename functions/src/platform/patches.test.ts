import domain from 'node:domain';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import express from 'express';
import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { Firestore } from 'firebase-admin/firestore';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { serveBundle } from '../../test/fixtures/serve-bundle.ts';
import {
  boundCalls,
  boundRequests,
  CALL_MS,
  CHECK_MS,
  keepBodyRaw,
  runWithoutDomains,
  serveDirectly,
} from './patches.ts';

const { create } = domain;
afterEach(() => {
  domain.create = create;
});

/** A request to the framework's server, which answers by the given handler if it lets the request come so far. */
async function requestTo(name: string, handle: HttpFunction, init?: RequestInit): Promise<Response> {
  http(name, handle);
  const server = getTestServer(name).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return await fetch(`http://127.0.0.1:${address.port}/`, init);
  } finally {
    server.close();
  }
}

it('keeps the framework, which would, from running requests in a domain', async () => {
  const whereItRuns: HttpFunction = (_req, res) => {
    const isInside = 'domain' in process && process.domain instanceof domain.Domain;
    res.send(isInside ? 'in a domain' : 'in none');
  };
  const domainOfRequest = async () => (await requestTo('where', whereItRuns)).text();
  expect(await domainOfRequest()).toBe('in a domain');
  runWithoutDomains();
  expect(await domainOfRequest()).toBe('in none');
});

it('keeps the framework, which would, from reading a body before the app', async () => {
  const headers = { 'content-type': 'application/json' };
  const statusOf = async (body: string) => {
    const answer = await requestTo('read', (_req, res) => res.sendStatus(204), {
      method: 'POST',
      headers,
      body,
    });
    return answer.status;
  };
  expect(await statusOf('{"half')).toBe(400);
  keepBodyRaw();
  expect(await statusOf('{"half')).toBe(204);
});

it('gives the calls of Firestore’s client, which has none, a time after which they end', () => {
  const client = new Firestore({ projectId: 'demo' });
  const optionsOf = (): unknown => Reflect.get(client, 'createCallOptions').call(client, 'commit', [14]);
  expect(optionsOf()).not.toHaveProperty('timeout');
  boundCalls(client);
  expect(optionsOf()).toMatchObject({ timeout: CALL_MS });
});

it('has a connection of Firestore’s client, which would trust it for ever, checked beside a call', () => {
  const client = new Firestore({ projectId: 'demo' });
  const options = () => Reflect.get(client, '_settings').grpcOptions ?? {};
  expect(Object.keys(options()).filter((name) => name.includes('keepalive'))).toEqual([]);
  boundCalls(client);
  expect(options()).toMatchObject({
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': CHECK_MS,
  });
  // Google ends the connections of who asks without a call.
  expect(options()).not.toHaveProperty('grpc.keepalive_permit_without_calls');
});

it('keeps the framework, which would, from running an app of its own before each request', async () => {
  const own: RequestListener = (_req, res) => {
    const isThroughIts = 'locals' in res;
    res.end(isThroughIts ? 'after its app' : 'directly');
  };
  http('direct', (req, res) => {
    if (req.path === '/now') serveDirectly(req, res, own);
    own(req, res);
  });
  const server = getTestServer('direct').listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect([await ask('/'), await ask('/')]).toEqual(['after its app', 'after its app']);
  expect([await ask('/now'), await ask('/')]).toEqual(['after its app', 'directly']);
});

it('leaves a server that is not the framework’s as it is: the emulator’s serves more than this function', async () => {
  const app = express();
  app.get('/health', (_req, res) => res.send('healthy'));
  app.use((req, res) => {
    serveDirectly(req, res, (_req, answer) => answer.end('own'));
    res.send('served');
  });
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect([await ask('/'), await ask('/health')]).toEqual(['served', 'healthy']);
});

/** A server that takes every request and answers none, and how many it took. */
async function silence() {
  const server = createServer();
  let asked = 0;
  server.on('request', () => {
    asked += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked: () => asked };
}

it('ends what Firebase’s client, which would wait for minutes, asks of accounts and nobody answers', async () => {
  boundRequests(100);
  const { address, asked } = await silence();
  vi.stubEnv('FIREBASE_AUTH_EMULATOR_HOST', address);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const auth = getAuth(initializeApp({ projectId: 'demo-silence' }, 'silence'));
  await expect(auth.getUser('ada')).rejects.toThrow('nobody answered in time');
  expect(asked()).toBe(1);
});

/** What a request gets that is answered after its process was told to end, and how that ends. */
async function answerOfEnding(patch: string): Promise<readonly unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ending-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const now = join(folder, 'now');
  const service = `
    import { existsSync } from 'node:fs';
    import { gracefulShutdown } from ${JSON.stringify(fileURLToPath(new URL('./patches.ts', import.meta.url)))};
    const log = { info: console.log, warn: console.log };
    ${patch}
    const whole = (res) => (existsSync(${JSON.stringify(now)}) ? res.send('whole') : setTimeout(whole, 20, res));
    export const api = (req, res) => {
      if (req.path !== '/slow') return res.send('up');
      console.log('begun');
      whole(res);
    };`;
  writeFileSync(join(folder, 'index.mjs'), service);
  writeFileSync(join(folder, 'package.json'), '{"main":"index.mjs"}');
  const { base, isUp, pid, output, ended } = await serveBundle(folder, {});
  expect(await isUp(), output()).toBe(true);
  const answer = fetch(`${base}/slow`).then(
    async (response) => [response.status, await response.text()],
    () => ['none'],
  );
  await expect.poll(output).toContain('begun');
  process.kill(pid ?? 0, 'SIGTERM');
  if (patch !== '') {
    await expect.poll(output).toContain('ending');
    writeFileSync(now, '');
  }
  return [...(await answer), await ended];
}

it('keeps the framework, which would, from ending with requests that it has begun', async () => {
  expect(await answerOfEnding('')).not.toContain('whole');
  expect(await answerOfEnding('gracefulShutdown(log);')).toEqual([200, 'whole', 0]);
});
