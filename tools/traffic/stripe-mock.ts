import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOST } from '../../packages/cli/src/local/ports.ts';

/** A request to a provider's API, as it went over the wire. */
export interface Asked {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  readonly requestBody: string;
}

export interface StripeMock {
  /** @returns what stripe-mock holds against the request; undefined when it takes it. */
  refusalOf(asked: Asked): Promise<string | undefined>;
  end(): Promise<void>;
}

const READY_WITHIN_MS = 20_000;

/** @throws Error when it does not come up. */
export async function startStripeMock(program: string): Promise<StripeMock> {
  const [http, https] = await freePorts(2);
  const child = spawn(program, ['-http-addr', `${HOST}:${http}`, '-https-addr', `${HOST}:${https}`], {
    stdio: 'ignore',
  });
  const ended = once(child, 'exit').catch((error: unknown) => error);
  const base = `http://${HOST}:${http}`;
  const refusalOf = async ({ method, path, requestBody }: Asked): Promise<string | undefined> => {
    const response = await fetch(base + path, {
      method,
      headers: {
        authorization: 'Bearer sk_test_123456789012',
        ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(method === 'POST' ? { body: requestBody } : {}),
    });
    const text = await response.text();
    if (response.ok) return undefined;
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: string } };
    return error?.message ?? text;
  };
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    try {
      await refusalOf({ method: 'GET', path: '/v1/customers', requestBody: '' });
      return { refusalOf, end };
    } catch (error) {
      if (child.exitCode !== null || Date.now() > deadline) {
        await end();
        throw new Error(`${program} does not answer.`, { cause: error });
      }
      await sleep(50);
    }
  }
}

/** Held open together, so that they are different ones. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, HOST));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
