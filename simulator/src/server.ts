import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { answerControl } from './control/answer-control.ts';
import { settle } from './engine/settle.ts';
import { answerHosted } from './hosted/answer-hosted.ts';
import { answerApi, type Exchange } from './http/answer-api.ts';
import { Faults } from './http/faults.ts';
import { IdempotencyKeys } from './http/idempotency.ts';
import { seedCatalog } from './state/seed.ts';
import { type DunningPolicy, World } from './state/world.ts';
import { Dispatcher } from './webhooks/dispatcher.ts';

export interface SimulatorOptions {
  /** 0 (the default) takes any free port. */
  port?: number;
  /** The secret of every webhook endpoint that is created; a fresh one each when absent. */
  webhookSecret?: string;
  /** When failed renewals are tried again and how they end; 3, 5 and 7 days, then canceled, when absent. */
  dunning?: DunningPolicy;
  /** Told of every call under /v1 after its answer: what a test checks against documents. */
  onExchange?: (exchange: Exchange) => void;
}

export interface Simulator {
  /** Origin to point the SDK, a browser and the control routes at. */
  readonly url: string;
  readonly port: number;
  /** The account itself, for tests that look behind the API. */
  readonly world: World;
  readonly dispatcher: Dispatcher;
  /** Stops listening and delivering. */
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

/** Starts a simulator on 127.0.0.1 with the seeded catalog. Rejects when the port is taken. */
export async function createSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const world = new World({
    baseUrl: '',
    webhookSecret: options.webhookSecret ?? null,
    dunning: options.dunning ?? { retryDays: [3, 5, 7], final: 'cancel' },
  });
  seedCatalog(world);
  const dispatcher = new Dispatcher(world);
  const keys = new IdempotencyKeys();
  const faults = new Faults();
  const onExchange = options.onExchange ?? (() => {});
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', world.options.baseUrl);
    if (url.pathname.startsWith('/_sim/'))
      await answerControl({ world, dispatcher, keys, faults }, request, response, url);
    else if (url.pathname === '/v1' || url.pathname.startsWith('/v1/'))
      await answerApi({ world, keys, faults, onExchange }, request, response, url);
    else await answerHosted(world, request, response, url);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listen(server, options.port ?? 0);
  world.options.baseUrl = `http://127.0.0.1:${port}`;
  const ticking = setInterval(() => settle(world, null, world.clock.now()), SETTLE_EVERY_MS);
  ticking.unref();
  return {
    url: world.options.baseUrl,
    port,
    world,
    dispatcher,
    close: () =>
      new Promise((resolve) => {
        clearInterval(ticking);
        dispatcher.reset();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
