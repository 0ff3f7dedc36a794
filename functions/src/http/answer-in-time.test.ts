import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { keptLog } from '../../test/app/serve-app.ts';
import { sendJson } from './answer.ts';
import { answerError } from './answer-error.ts';
import { answerInTime } from './answer-in-time.ts';
import { correlate } from './correlate.ts';

/** A server whose one route answers when it is let, and not before. */
async function serveSlowly(withinMs: number) {
  const log = keptLog();
  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const app = express();
  app.use(correlate(log), answerInTime(withinMs));
  app.post('/slow', async (req, res) => {
    for await (const _chunk of req);
    await late.promise;
    sendJson(res, 200, { ok: true });
    answered.resolve();
  });
  app.use(answerError);
  const server = createServer(app);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/slow`, port, log, late, answered };
}

it('a request that takes too long is told to try again, and its late end disturbs nobody', async () => {
  const { url, log, late, answered } = await serveSlowly(20);
  const response = await fetch(url, { method: 'POST' });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ code: 'temporarily_unavailable' });
  late.resolve();
  await answered.promise;
  expect(log.lines.map(({ event }) => event)).toEqual(['not_answered_in_time']);
});

it('so is one whose body does not come', async () => {
  const { port } = await serveSlowly(20);
  const call = request({ port, path: '/slow', method: 'POST', headers: { 'content-length': 10 } });
  onTestFinished(() => {
    call.destroy();
  });
  const status = await new Promise((resolve, reject) => {
    call.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    call.write('{');
  });
  expect(status).toBe(503);
});

it('one that is answered in time hears nothing of it', async () => {
  const { url, log, late } = await serveSlowly(10_000);
  late.resolve();
  expect((await fetch(url, { method: 'POST' })).status).toBe(200);
  expect(log.lines).toEqual([]);
});
