import { PLAN } from '@extension-billing/contract/test/catalog';
import { MINUTE } from '@extension-billing/contract/time';
import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../test/factories.ts';
import { fakeStorage } from '../../test/fake-storage-area.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import { createPurchaseWatch } from './purchase-watch.ts';

function watchOn(snapshot: EntitlementSnapshot) {
  const alarms = new Map<string, chrome.alarms.AlarmCreateInfo>();
  const world = { snapshot, clock: 0 };
  const session = fakeStorage();
  const watch = createPurchaseWatch({
    area: session.area,
    alarms: {
      create: (async (name: string, info: chrome.alarms.AlarmCreateInfo) => {
        alarms.set(name, info);
      }) as typeof chrome.alarms.create,
      clear: (async (name: string) => alarms.delete(name)) as typeof chrome.alarms.clear,
    },
    current: async () => world.snapshot,
    now: () => world.clock,
    onEnd: async () => {},
  });
  return { watch, world, session, running: () => alarms.size > 0, alarms };
}

it('rings once a minute from the moment that a page was opened', async () => {
  const { watch, alarms } = watchOn(aSnapshot());
  await watch.start();
  expect([...alarms.values()]).toEqual([{ delayInMinutes: 1, periodInMinutes: 1 }]);
});

it('goes on when all that came is what free credits the account will have', async () => {
  const { watch, running } = watchOn(aSnapshot({ credits: null }));
  await watch.start();
  await watch.seen(aSnapshot({ credits: { ...someCredits(20), expected: true } }));
  expect(running()).toBe(true);
});

it.each<[string, Partial<EntitlementSnapshot>]>([
  ['a plan', { plan: PLAN.yearly }],
  ['a cancellation', { cancelAtPeriodEnd: true }],
  ['a renewal', { currentPeriodEnd: 9_000_000 }],
  ['credits', { credits: someCredits(1_100) }],
])('ends when %s arrived', async (_what, change) => {
  const { watch, running } = watchOn(aSnapshot());
  await watch.start();
  await watch.seen(aSnapshot({ ...change, updatedAt: 2_000 }));
  expect(running()).toBe(false);
});

it('goes on while credits are spent, and while nothing happens', async () => {
  const { watch, running } = watchOn(aSnapshot());
  await watch.start();
  await watch.seen(aSnapshot({ credits: someCredits(999), updatedAt: 2_000 }));
  await watch.look();
  expect(running()).toBe(true);
});

it('gives up after 30 minutes', async () => {
  const { watch, world, running } = watchOn(aSnapshot());
  await watch.start();
  world.clock = 30 * MINUTE - 1;
  await watch.look();
  expect(running()).toBe(true);
  world.clock = 30 * MINUTE;
  await watch.look();
  expect(running()).toBe(false);
});

it('finds at an alarm what arrived while the worker was dead', async () => {
  const { watch, world, running } = watchOn(aSnapshot({ paid: false, plan: null }));
  await watch.start();
  world.snapshot = aSnapshot();
  await watch.look();
  expect(running()).toBe(false);
});

it('ends an alarm that outlived its browser session', async () => {
  const { watch, session, running } = watchOn(aSnapshot());
  await watch.start();
  await session.area.remove('billingPurchaseWatch');
  await watch.look();
  expect(running()).toBe(false);
});

it('ends when somebody else signs in', async () => {
  const { watch, running } = watchOn(aSnapshot());
  await watch.start();
  await watch.seen(aSnapshot({ uid: 'grace' }));
  expect(running()).toBe(false);
});
