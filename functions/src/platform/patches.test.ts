import domain from 'node:domain';
import { once } from 'node:events';
import { type HttpFunction, http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { Firestore } from 'firebase-admin/firestore';
import { afterEach, expect, it } from 'vitest';
import { boundCalls, CALL_MS, keepBodyRaw, runWithoutDomains } from './patches.ts';

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
