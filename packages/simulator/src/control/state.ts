import { advanceWorld, settle } from '../clocks/settle.ts';
import { resetWorld } from '../state/catalog.ts';
import { restoreSnapshot, takeSnapshot } from '../state/keep.ts';
import { parseSnapshot, type Snapshot } from '../state/snapshot.ts';
import { ControlError, type ControlRoute, onlyFields, optionalNumber } from './route.ts';

export const stateRoutes: ControlRoute[] = [
  { method: 'GET', path: '/health', handle: () => ({ ok: true }) },
  {
    method: 'GET',
    path: '/state',
    handle: ({ world }) =>
      Object.fromEntries(Object.entries(world.tables).map(([name, table]) => [name, table.all()])),
  },
  {
    method: 'POST',
    path: '/reset',
    handle: ({ world, dispatcher, keys, faults }, body) => {
      onlyFields(body, []);
      resetWorld(world);
      dispatcher.reset();
      keys.clear();
      faults.clear();
      return { now: world.clock.now() };
    },
  },
];

export const clockRoutes: ControlRoute[] = [
  { method: 'GET', path: '/now', handle: ({ world }) => ({ now: world.clock.now() }) },
  {
    method: 'POST',
    path: '/clock/advance',
    handle: ({ world }, body) => {
      onlyFields(body, ['seconds', 'days', 'to']);
      const now = world.clock.now();
      const seconds = optionalNumber(body, 'seconds') ?? 0;
      const days = optionalNumber(body, 'days') ?? 0;
      const to = optionalNumber(body, 'to') ?? now + seconds + days * 86_400;
      if (to < now) throw new ControlError(400, `Time only goes forward: it is ${now}.`);
      settle(world, null, now);
      return { now: advanceWorld(world, Math.floor(to)) };
    },
  },
];

export const snapshotRoutes: ControlRoute[] = [
  { method: 'GET', path: '/snapshot', handle: (context) => takeSnapshot(context) },
  {
    method: 'POST',
    path: '/restore',
    handle: (context, body) => {
      restoreSnapshot(context, readSnapshot(body, context.world.options.baseUrl));
      context.faults.clear();
      return { now: context.world.clock.now() };
    },
  },
];

function readSnapshot(body: object, baseUrl: string): Snapshot {
  try {
    return parseSnapshot(JSON.stringify(body), 'The body', baseUrl);
  } catch {
    throw new ControlError(
      400,
      'The body is no snapshot of this simulator: send what GET /_sim/snapshot answered.',
    );
  }
}

/** A service that hangs must not hang the page. */
const WITHIN_MS = 5_000;

async function ask(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WITHIN_MS) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return await response.json();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ControlError(502, `The service's records cannot be had from ${url}: ${why}.`);
  }
}

/** The service's own record of each customer, by customer id: asked of the service, never kept here. */
export const recordRoutes: ControlRoute[] = [
  {
    method: 'GET',
    path: '/records',
    handle: ({ recordsUrl }) => {
      if (recordsUrl === null)
        throw new ControlError(404, 'No service is known here: start the simulator with --records-url URL.');
      return ask(recordsUrl);
    },
  },
];
