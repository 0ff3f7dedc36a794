import { advanceWorld, settle } from '../clocks/settle.ts';
import { lineItemsOf } from '../http/expand.ts';
import { resetWorld } from '../state/catalog.ts';
import { restoreSnapshot, takeSnapshot } from '../state/keep.ts';
import { parseSnapshot, type Snapshot } from '../state/snapshot.ts';
import { periodBoundary } from '../subscriptions/periods.ts';
import { ControlError, type ControlRoute, onlyFields, optionalNumber } from './route.ts';

export const stateRoutes: ControlRoute[] = [
  { method: 'GET', path: '/health', handle: () => ({ ok: true }) },
  {
    method: 'GET',
    path: '/state',
    handle: ({ world }) =>
      Object.fromEntries([
        ...Object.entries(world.tables).map(([name, table]) => [name, table.all()]),
        // With what each session sells: Stripe leaves it out unless it's asked for.
        [
          'checkout_sessions',
          world.tables.checkout_sessions.all().map((row) => ({
            ...row,
            line_items: { object: 'list', data: lineItemsOf(world, row.id) },
          })),
        ],
      ]),
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
      onlyFields(body, ['seconds', 'days', 'months', 'to']);
      const now = world.clock.now();
      const seconds = optionalNumber(body, 'seconds') ?? 0;
      const days = optionalNumber(body, 'days') ?? 0;
      const months = optionalNumber(body, 'months') ?? 0;
      const later = periodBoundary(now, { unit: 'month', count: 1 }, months);
      const to = optionalNumber(body, 'to') ?? later + seconds + days * 86_400;
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
