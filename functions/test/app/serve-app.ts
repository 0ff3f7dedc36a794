import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { testCatalog } from '@extension-billing/contract/test/catalog';
import type { Firestore } from 'firebase-admin/firestore';
import { onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import type { AppDeps } from '../../src/deps.ts';
import type { Log } from '../../src/log.ts';
import { aConfig } from './config.ts';

export interface LogLine {
  readonly severity: 'info' | 'warn' | 'error';
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A logger that keeps its lines, and of each the name of the request that left it. */
export function keptLog(): Log & { readonly lines: LogLine[]; nameOf(line: LogLine): string | undefined } {
  const lines: LogLine[] = [];
  const names = new WeakMap<LogLine, string>();
  const logOf = (name?: string): Log => {
    const keep =
      (severity: LogLine['severity']) =>
      (event: string, fields = {}): void => {
        const line = { severity, event, fields };
        lines.push(line);
        if (name !== undefined) names.set(line, name);
      };
    return { info: keep('info'), warn: keep('warn'), error: keep('error'), of: logOf };
  };
  return { ...logOf(), lines, nameOf: (line) => names.get(line) };
}

/** A part that a test does not expect to be touched: any use of it fails. */
export function untouched<Part extends object>(name: string): Part {
  return new Proxy({} as Part, {
    get(_target, property) {
      throw new Error(`this test did not expect ${name}.${String(property)} to be used`);
    },
  });
}

export function someDeps(overrides: Partial<AppDeps> = {}): AppDeps {
  return {
    config: aConfig(),
    firestore: untouched<Firestore>('firestore'),
    auth: untouched<AppDeps['auth']>('auth'),
    stripe: () => Promise.reject(new Error('this test did not expect the provider to be called')),
    now: () => Date.now(),
    catalog: () => testCatalog,
    catalogReady: async () => {},
    log: keptLog(),
    ...overrides,
  };
}

/** The app on a port of its own until the test ends; answers its base address. */
export async function serveApp(overrides: Partial<AppDeps> = {}): Promise<string> {
  const server = createServer(createApp(someDeps(overrides)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
