import { advanceWorld, settle } from '../engine/settle.ts';
import type { ControlRoute } from './context.ts';
import { ControlError, onlyFields, optionalNumber } from './json.ts';

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
