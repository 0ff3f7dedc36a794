import { resetWorld } from '../state/seed.ts';
import type { ControlRoute } from './context.ts';
import { onlyFields } from './json.ts';

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
