import type Stripe from 'stripe';
import { advanceTestClock, deleteTestClock } from '../engine/test-clocks.ts';
import { page } from '../http/pagination.ts';
import { route } from '../http/router.ts';
import { makeTestClock } from '../objects/test-clock.ts';

export const testClockRoutes = [
  route<Stripe.TestHelpers.TestClockListParams>(
    'GET /v1/test_helpers/test_clocks',
    ({ world, params, path }) => page(world.tables.test_clocks.newestFirst(), params, path),
  ),
  route<Stripe.TestHelpers.TestClockCreateParams>(
    'POST /v1/test_helpers/test_clocks',
    ({ world, params }) => {
      const clock = makeTestClock(world.clock.now(), params.frozen_time, params.name || null);
      world.tables.test_clocks.insert(clock);
      world.emit('test_helpers.test_clock.created', clock, null);
      return clock;
    },
  ),
  route('GET /v1/test_helpers/test_clocks/{test_clock}', ({ world, id }) =>
    world.tables.test_clocks.inPath(id('test_clock')),
  ),
  route('DELETE /v1/test_helpers/test_clocks/{test_clock}', ({ world, id }) => {
    const clock = world.tables.test_clocks.inPath(id('test_clock'));
    deleteTestClock(world, clock);
    return { id: clock.id, object: 'test_helpers.test_clock', deleted: true };
  }),
  route<Stripe.TestHelpers.TestClockAdvanceParams>(
    'POST /v1/test_helpers/test_clocks/{test_clock}/advance',
    ({ world, id, params }) =>
      advanceTestClock(world, world.tables.test_clocks.inPath(id('test_clock')), params.frozen_time),
  ),
];
