import type Stripe from 'stripe';
import { newId } from '../state/ids.ts';

export function makeTestClock(
  now: number,
  frozenTime: number,
  name: string | null,
): Stripe.TestHelpers.TestClock {
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
