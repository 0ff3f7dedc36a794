import domain from 'node:domain';
import { once } from 'node:events';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { afterEach, expect, it } from 'vitest';
import { runWithoutDomains } from './framework.ts';

const { create } = domain;
afterEach(() => {
  domain.create = create;
});

async function domainOfRequest(): Promise<string> {
  http('where', (_req, res) => {
    const isInside = 'domain' in process && process.domain instanceof domain.Domain;
    res.send(isInside ? 'in a domain' : 'in none');
  });
  const server = getTestServer('where').listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  try {
    if (address === null || typeof address === 'string') throw new Error('the server has no port');
    return await (await fetch(`http://127.0.0.1:${address.port}/`)).text();
  } finally {
    server.close();
  }
}

it('keeps the framework, which would, from running requests in a domain', async () => {
  expect(await domainOfRequest()).toBe('in a domain');
  runWithoutDomains();
  expect(await domainOfRequest()).toBe('in none');
});
