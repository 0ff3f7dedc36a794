import type Stripe from 'stripe';
import { invalidRequest } from '../http/errors.ts';
import { route } from '../http/operations.ts';
import { page } from '../http/pagination.ts';
import { mergedMetadata } from '../http/values.ts';
import { idOf } from '../state/ids.ts';
import { releaseSchedule } from './schedules.ts';
import { createSchedule, type ScheduleParams } from './start-schedule.ts';
import { cancelScheduleOf, endSubscription } from './subscription.ts';

/** @throws StripeApiError 400 for a schedule that is over */
function requireOpen(schedule: Stripe.SubscriptionSchedule, what: string): void {
  if (schedule.status !== 'active' && schedule.status !== 'not_started')
    throw invalidRequest(
      `You cannot ${what} a subscription schedule that is currently in the \`${schedule.status}\` status.`,
    );
}

export const scheduleRoutes = [
  route<Stripe.SubscriptionScheduleListParams>(
    'GET /v1/subscription_schedules',
    ({ world, params, path }) => {
      const { customer, scheduled } = params;
      const rows = world.tables.subscription_schedules
        .newestFirst()
        .filter((row) => customer === undefined || row.customer === customer)
        .filter((row) => scheduled !== true || row.status === 'not_started');
      return page(rows, params, path);
    },
  ),
  route<ScheduleParams>('POST /v1/subscription_schedules', ({ world, params }) =>
    createSchedule(world, params),
  ),
  route('GET /v1/subscription_schedules/{schedule}', ({ world, id }) =>
    world.tables.subscription_schedules.inPath(id('schedule'), 'schedule'),
  ),
  route<Stripe.SubscriptionScheduleUpdateParams>(
    'POST /v1/subscription_schedules/{schedule}',
    ({ world, id, params }) => {
      const schedule = world.tables.subscription_schedules.inPath(id('schedule'), 'schedule');
      requireOpen(schedule, 'update');
      world.change(
        'subscription_schedule.updated',
        schedule,
        world.scopeOf(idOf(schedule.customer)),
        (row) => {
          row.metadata = mergedMetadata(row.metadata, params.metadata);
          row.end_behavior = params.end_behavior ?? row.end_behavior;
        },
      );
      return schedule;
    },
  ),
  route('POST /v1/subscription_schedules/{schedule}/cancel', ({ world, id }) => {
    const schedule = world.tables.subscription_schedules.inPath(id('schedule'), 'schedule');
    requireOpen(schedule, 'cancel');
    const subscription = world.tables.subscriptions.get(idOf(schedule.subscription));
    if (subscription === undefined) cancelScheduleOf(world, schedule, 'cancellation_requested');
    else endSubscription(world, subscription, 'cancellation_requested');
    return schedule;
  }),
  route('POST /v1/subscription_schedules/{schedule}/release', ({ world, id }) => {
    const schedule = world.tables.subscription_schedules.inPath(id('schedule'), 'schedule');
    requireOpen(schedule, 'release');
    releaseSchedule(world, schedule);
    return schedule;
  }),
];
