import { SCOPES } from '@extension-billing/contract/callers';
import type { Catalog } from '@extension-billing/contract/catalog';
import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import { createApp } from '../../../../functions/src/app.ts';
import { readConfig } from '../../../../functions/src/config.ts';
import { type Log, log } from '../../../../functions/src/log.ts';
import { liveCatalog } from '../../../../functions/src/store/catalog.ts';
import type { Door } from '../ask.ts';
import { loopback } from './loopback.ts';

/** As much of the host as the service works with. */
export interface Host {
  readonly firestore: Firestore;
  readonly auth: Auth;
  /** In force while none is published by `billing catalog push`. */
  readonly catalog: Catalog;
  /** What ledger entries name as who asked: `process:<name>`. */
  readonly name: string;
  readonly log: 'problems' | 'all';
}

/**
 * The service itself, the very app that the billing function serves, in the host's process: what is asked of it goes
 * through the same checks, decisions and commits, and none of it over a socket
 * (docs/decisions/service-callers.md#a-backend-in-the-same-project-runs-the-service-itself).
 */
export function openService({ firestore, auth, catalog: embedded, name, log: loud }: Host): Door {
  // Nobody outside this process can have seen it.
  const token = `${crypto.randomUUID()}${crypto.randomUUID()}`;
  const now = () => Date.now();
  const serviceLog = loud === 'all' ? log : withoutInfo(log);
  const { current, ready } = liveCatalog({ firestore: () => firestore, embedded, now, log: serviceLog });
  const app = createApp({
    // Nothing is sold from here: every /billing/* route answers 501.
    config: readConfig({ BILLING_DISABLED: 'true' }),
    firestore,
    auth,
    stripe: () => Promise.reject(new Error('a backend sells nothing')),
    catalog: current,
    catalogReady: ready,
    now,
    log: serviceLog,
    trusted: { token, name, scopes: SCOPES },
  });
  return { bearer: () => token, send: loopback(app) };
}

/** The host's own log is not filled with a line for each request. */
function withoutInfo(loud: Log): Log {
  return {
    info: () => {},
    warn: (...line) => loud.warn(...line),
    error: (...line) => loud.error(...line),
    of: (correlationId) => withoutInfo(loud.of(correlationId)),
  };
}
