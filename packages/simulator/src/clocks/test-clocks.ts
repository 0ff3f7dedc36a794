import type Stripe from 'stripe';
import { invalidRequest, StripeApiError } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { newId } from '../state/ids.ts';
import type { World } from '../state/world.ts';
import { intervalOf, periodBoundary } from '../subscriptions/periods.ts';
import { settle } from './settle.ts';

function makeTestClock(now: number, frozenTime: number, name: string | null): Stripe.TestHelpers.TestClock {
  return {
    id: newId('clock'),
    object: 'test_helpers.test_clock',
    created: now,
    deletes_after: now + 30 * 86_400,
    frozen_time: frozenTime,
    livemode: false,
    name,
    status: 'ready',
    status_details: {},
  };
}

/** The farthest a clock may go at once: two of its shortest subscription intervals, two years without any. */
function farthest(world: World, clock: Stripe.TestHelpers.TestClock): number {
  const ends = world.tables.subscriptions
    .filter((row) => row.test_clock === clock.id && row.ended_at === null)
    .flatMap((row) => row.items.data)
    .map((item) => intervalOf(item.price.recurring))
    .map((interval) => periodBoundary(clock.frozen_time, interval ?? { unit: 'year', count: 1 }, 2));
  return Math.min(periodBoundary(clock.frozen_time, { unit: 'year', count: 1 }, 2), ...ends);
}

/**
 * Begins to move a test clock: it answers `advancing` at once and is `ready` when everything that fell due
 * has happened, as with Stripe.
 * @throws StripeApiError 400 for a time that is not ahead or too far, 429 while it is still advancing.
 */
function advanceTestClock(
  world: World,
  clock: Stripe.TestHelpers.TestClock,
  to: number,
): Stripe.TestHelpers.TestClock {
  if (clock.status === 'advancing')
    throw new StripeApiError(429, {
      type: 'invalid_request_error',
      message: 'Test clock advancement underway - cannot perform modifications.',
      code: 'test_clock_advancement_underway',
    });
  if (to <= clock.frozen_time)
    throw invalidRequest(
      'The frozen time you are advancing to must be after the current frozen time of the test clock.',
      'frozen_time',
    );
  if (to > farthest(world, clock))
    throw invalidRequest(
      'You can only advance a test clock by up to two intervals at a time, based on the shortest subscription interval. Without subscriptions, up to two years from the initial frozen time.',
      'frozen_time',
    );
  clock.status = 'advancing';
  clock.status_details = { advancing: { target_frozen_time: to } };
  world.emit('test_helpers.test_clock.advancing', clock, null);
  setImmediate(() => finishAdvance(world, clock, to));
  return structuredClone(clock);
}

/** What an advance has begun: everything due until then happens, and the clock is ready there. */
export function finishAdvance(world: World, clock: Stripe.TestHelpers.TestClock, to: number): void {
  if (world.tables.test_clocks.get(clock.id) !== clock) return;
  try {
    settle(world, clock.id, to);
    clock.status = 'ready';
  } catch (error) {
    console.error(error);
    clock.status = 'internal_failure';
  }
  clock.frozen_time = to;
  clock.status_details = {};
  world.emit(
    clock.status === 'ready' ? 'test_helpers.test_clock.ready' : 'test_helpers.test_clock.internal_failure',
    clock,
    null,
  );
}

/** Deletes a clock with its customers, whose subscriptions end with it. */
function deleteTestClock(world: World, clock: Stripe.TestHelpers.TestClock): void {
  const customers = world.tables.customers.filter((row) => row.test_clock === clock.id);
  for (const customer of customers) {
    for (const subscription of world.tables.subscriptions.filter((row) => row.customer === customer.id))
      world.tables.subscriptions.delete(subscription.id);
    world.tables.customers.delete(customer.id);
    world.facts.deletedCustomers.add(customer.id);
  }
  world.tables.test_clocks.delete(clock.id);
  world.emit('test_helpers.test_clock.deleted', clock, null);
}

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
