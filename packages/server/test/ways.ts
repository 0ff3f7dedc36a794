import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineCatalog } from '@extension-billing/contract';
import { SCOPES } from '@extension-billing/contract/callers';
import { testInput } from '@extension-billing/contract/test/catalog';
import { createApp } from '../../../functions/src/app.ts';
import { auth, firestore } from '../../../functions/test/app/emulated-user.ts';
import { quietLog } from '../../../functions/test/app/quiet-log.ts';
import { someDeps } from '../../../functions/test/app/serve-app.ts';
import { storeKey } from '../../../functions/test/app/service-key.ts';
import type { Door } from '../src/ask.ts';
import type { Billing } from '../src/billing.ts';
import * as http from '../src/exports/http.ts';
import * as inProcess from '../src/exports/in-process.ts';
import { openService } from '../src/in-process/open-service.ts';
import { httpDoor } from '../src/over-http.ts';

// Both ways to the service, on the emulators, so that one suite holds both.

/** What the README sells, beside what all tests do. */
export const readmeInput = {
  ...testInput,
  features: {
    ...testInput.features,
    open: { gate: 'none' },
    walled: { gate: 'paywall' },
    summarise: { cost: 5 },
    chat: { hold: 20, rates: { input: { credits: 1, per: 1000 }, output: { credits: 4, per: 1000 } } },
    overdrawn: { hold: 10, overdraw: 5 },
  },
} as const;
export const catalog = defineCatalog(readmeInput);

export interface Way {
  /** As a backend makes it. */
  readonly billing: Billing;
  /** What it asks through. */
  readonly door: Door;
  /** Who asks, as ledger entries say it. */
  readonly by: string;
  close(): Promise<void>;
}

/** The service at an address of this machine, for one backend. */
export async function serve() {
  const key = await storeKey(firestore, { name: 'suite', scopes: SCOPES });
  const deps = someDeps({ firestore, auth, catalog: () => catalog, log: quietLog });
  const server = createServer(createApp(deps));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function overHttp(): Promise<Way> {
  const { url, key, close } = await serve();
  const projectId = process.env.GCLOUD_PROJECT ?? '';
  return {
    billing: http.createBilling({ url, key, projectId, authEmulator: true }),
    door: httpDoor({ url, key }, fetch),
    by: `key:${createHash('sha256')
      .update(`key:${key.split('_')[1]}`)
      .digest('hex')
      .slice(0, 16)}`,
    close,
  };
}

async function inOneProcess(): Promise<Way> {
  const host = { firestore, auth, catalog, name: 'suite', log: 'problems' } as const;
  const billing = inProcess.createBilling(host);
  return { billing, door: openService(host), by: 'process:suite', close: async () => {} };
}

export const WAYS = { 'over HTTP': overHttp, 'in process': inOneProcess } as const;

/** The same, where the first answers of each request are lost on their way back: it was carried out all the same. */
export function losing(answers: number, { bearer, send }: Door): Door {
  const asked = new Map<string, number>();
  return {
    bearer,
    async send(outgoing) {
      const name = outgoing.headers['X-Correlation-Id'] ?? '';
      const before = asked.get(name) ?? 0;
      asked.set(name, before + 1);
      const incoming = await send(outgoing);
      if (before < answers) throw new TypeError('the connection was reset');
      return incoming;
    },
  };
}
