import { mkdirSync, openSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname } from 'node:path';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type Stripe from 'stripe';
import { settle } from './clocks/settle.ts';
import { controlRoutes } from './control/routes.ts';
import { apiRoutes, type Exchange, IdempotencyKeys } from './http/api.ts';
import { Faults } from './http/faults.ts';
import { RateLimit } from './http/rate-limit.ts';
import { pageNotFound, pageRoutes } from './pages/hosted.ts';
import { seedCatalog } from './state/catalog.ts';
import { KEPT_NOWHERE, keepState } from './state/keep.ts';
import { type CatalogEntry, type DunningPolicy, World } from './state/world.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';

/** One line of a traffic file: a call under /v1 with its answer, or an event as it came to be. */
export type TrafficLine = { readonly exchange: Exchange } | { readonly event: Stripe.Event };

/**
 * Appends lines to a file, which may hold others already, so that what passed can be held to documents afterwards.
 * A line is written when the function returns: a process that is killed leaves whole lines.
 */
function trafficTo(file: string): (line: TrafficLine) => void {
  mkdirSync(dirname(file), { recursive: true });
  const opened = openSync(file, 'a');
  return (line) => {
    writeSync(opened, `${JSON.stringify(line)}\n`);
  };
}

export type { CatalogEntry, Exchange };

export interface SimulatorOptions {
  /** 0 (the default) takes any free port. */
  port?: number;
  /** Whether the portal's settings were saved once in the Dashboard; else sessions need a configuration. True when absent. */
  hasPortal?: boolean;
  /** What the account calls its business; "Simulator" when absent. */
  merchant?: string;
  /** What the account sells when it is new; nothing when absent. */
  catalog?: readonly CatalogEntry[];
  /** The secret of every webhook endpoint that is created; a fresh one each when absent. */
  webhookSecret?: string;
  /** When failed renewals are tried again and how they end; 3, 5 and 7 days, then canceled, when absent. */
  dunning?: DunningPolicy;
  /**
   * A file to take the state from and to keep it in: everything that was answered is in it, so that a process that
   * is killed goes on where it was. In memory alone when absent.
   */
  stateFile?: string;
  /** A file to append every call under /v1, its answer and every event to, one JSON text a line. */
  trafficFile?: string;
  /** Where the service's record of each customer is asked for (`GET`, JSON: customer id → record); the page shows it. */
  recordsUrl?: string;
  /** Calls a second before 429; a sandbox of Stripe has 25. No limit when absent, so that tests need no pauses. */
  rateLimit?: number;
  /** Called with every call under /v1 and its answer: what a test checks against documents. */
  onExchange?: (exchange: Exchange) => void;
}

export interface Simulator {
  /** Origin to point the SDK, a browser and the control routes at. */
  readonly url: string;
  readonly port: number;
  /** The account itself, for tests that look behind the API. */
  readonly world: World;
  readonly dispatcher: Dispatcher;
  /** Stops listening and delivering, and keeps what there is to keep. */
  close(): Promise<void>;
}

/** The world's own clock moves with the machine's; what falls due meanwhile is billed within this time. */
const SETTLE_EVERY_MS = 1000;

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/**
 * Starts a simulator on 127.0.0.1, with what its catalogue sells or what its state file holds. Rejects when the port is
 * taken, or the file is not a state file.
 */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const world = new World({
    baseUrl: '',
    hasPortal: options.hasPortal ?? true,
    merchant: options.merchant ?? 'Simulator',
    catalog: options.catalog ?? [],
    webhookSecret: options.webhookSecret ?? null,
    dunning: options.dunning ?? { retryDays: [3, 5, 7], final: 'cancel' },
  });
  seedCatalog(world);
  const dispatcher = new Dispatcher(world);
  const keys = new IdempotencyKeys();
  const faults = new Faults();
  const limit = new RateLimit(options.rateLimit ?? null);
  const record: (line: TrafficLine) => void =
    options.trafficFile === undefined ? () => {} : trafficTo(options.trafficFile);
  const deliver = world.onEvent;
  world.onEvent = (event) => {
    record({ event });
    deliver(event);
  };
  const onExchange = (exchange: Exchange): void => {
    record({ exchange });
    options.onExchange?.(exchange);
  };
  const recordsUrl = options.recordsUrl ?? null;
  let keeping = KEPT_NOWHERE;
  const saved = (): Promise<void> => keeping.saved();
  const app = new Hono<{ Bindings: HttpBindings }>()
    .route('/', pageRoutes({ world, saved }))
    .route('/_sim', controlRoutes({ world, dispatcher, keys, faults, saved, recordsUrl }))
    .route('/', apiRoutes({ world, keys, faults, limit, saved, onExchange }));
  app.notFound(pageNotFound);
  app.onError((error) => {
    console.error(error);
    return new Response(null, { status: 500 });
  });
  const server = createServer(getRequestListener(app.fetch));
  const port = await listen(server, options.port ?? 0);
  world.options.baseUrl = `http://127.0.0.1:${port}`;
  try {
    if (options.stateFile !== undefined) keeping = keepState(options.stateFile, { world, dispatcher, keys });
  } catch (error) {
    server.close();
    throw error;
  }
  const ticking = setInterval(() => {
    settle(world, null, world.clock.now());
    keeping.savedIfMoved().catch((error: unknown) => console.error(error));
  }, SETTLE_EVERY_MS);
  ticking.unref();
  let closed: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    clearInterval(ticking);
    await keeping.saved();
    dispatcher.reset();
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
  return {
    url: world.options.baseUrl,
    port,
    world,
    dispatcher,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
