import type { CustomerRecord } from '@extension-billing/contract/record';
import { DAY } from '@extension-billing/contract/time';
import { expect, it, vi } from 'vitest';
import { aRecord, aSnapshot, someCredits } from '../../test/factories.ts';
import type { EntitlementSnapshot, SnapshotCredits } from '../snapshot/snapshot.ts';
import { LOOKED_AT_MS } from './linger.ts';
import { createCustomerMirror } from './mirror-customer.ts';

interface Listener {
  readonly uid: string;
  readonly deliver: (record: CustomerRecord | null) => void;
  readonly silence: () => void;
  readonly fail: () => void;
  detached: boolean;
}

/** A worker whose user is looking at billing, unless it is said otherwise. `known`: what is stored. */
function mirrorInAWorld({
  isLookedAt = true,
  known = null as EntitlementSnapshot | null,
  expected = async (): Promise<SnapshotCredits | null> => null,
} = {}) {
  const listeners: Listener[] = [];
  const written: { uid: string; record: CustomerRecord | null }[] = [];
  const begun: string[] = [];
  const unheard: string[] = [];
  const later: { step: () => void; ms: number }[] = [];
  const leaving: (() => void)[] = [];
  const clock = { now: 2_000 };
  const answered = { updatedAt: 0 };
  const mirror = createCustomerMirror({
    listen(uid, { onRecord, onSilence, onError }) {
      const listener: Listener = {
        uid,
        deliver: onRecord,
        silence: onSilence,
        fail: onError,
        detached: false,
      };
      listeners.push(listener);
      return () => {
        listener.detached = true;
      };
    },
    writer: {
      begin: async (uid) => void begun.push(uid),
      current: async () => known,
      record: async (uid, record) => void written.push({ uid, record }),
      listening: () => {},
      restore: async () => {},
      isBehind: (updatedAt) => updatedAt < answered.updatedAt,
    },
    expected,
    unheard: (uid) => unheard.push(uid),
    later: (step, ms) => (ms >= LOOKED_AT_MS ? leaving.push(step) : later.push({ step, ms })),
    now: () => clock.now,
  });
  if (isLookedAt) mirror.ensure();
  /** Nobody has looked for a minute. */
  const leave = (): void => {
    clock.now += LOOKED_AT_MS;
    leaving.shift()?.();
  };
  const listener = (index: number): Listener => {
    const found = listeners[index];
    if (found === undefined) throw new Error(`No listener ${index} was attached.`);
    return found;
  };
  const attached = (): number => listeners.filter(({ detached }) => !detached).length;
  return {
    ...{ mirror, listeners, listener, written, begun, later, clock, answered, unheard },
    ...{ leave, attached, waiting: () => leaving.length },
  };
}

it('copies what the server says of the user it follows', () => {
  const { mirror, listener, written, begun } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).deliver(aRecord());
  expect(begun).toEqual(['ada']);
  expect(written).toEqual([{ uid: 'ada', record: aRecord() }]);
});

it('attaches one listener, however often it is told to follow the same user', () => {
  const { mirror, listeners } = mirrorInAWorld();
  mirror.follow('ada');
  mirror.follow('ada');
  mirror.ensure();
  expect(listeners).toHaveLength(1);
});

it('lets go of the first user before it follows the second, and drops what comes late', () => {
  const { mirror, listener, written } = mirrorInAWorld();
  mirror.follow('ada');
  mirror.follow('grace');
  listener(0).deliver(aRecord());
  expect(listener(0).detached).toBe(true);
  expect(listener(1).uid).toBe('grace');
  expect(written).toEqual([]);
});

it('stops at nobody and leaves what is stored', () => {
  const { mirror, listener, written } = mirrorInAWorld();
  mirror.follow('ada');
  mirror.follow(null);
  mirror.ensure();
  expect(listener(0).detached).toBe(true);
  expect(written).toEqual([]);
});

it('listens again at the next wake after an error ended the listener', () => {
  const { mirror, listener, listeners } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).fail();
  mirror.ensure();
  expect(listeners).toHaveLength(2);
  expect(listener(1).uid).toBe('ada');
});

it('tries again by itself while the worker lives, more slowly each time, and quickly once it worked', () => {
  const { mirror, listener, listeners, later } = mirrorInAWorld();
  mirror.follow('ada');
  for (let failed = 0; failed < 7; failed++) {
    listener(failed).fail();
    later.at(-1)?.step();
  }
  expect(later.map(({ ms }) => ms)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  listener(listeners.length - 1).deliver(null);
  listener(listeners.length - 1).fail();
  expect(later.at(-1)?.ms).toBe(1_000);
});

it('confirms the server’s last word at every hello, as long as the server is heard', () => {
  const { mirror, listener, written } = mirrorInAWorld();
  mirror.follow('ada');
  mirror.ensure();
  expect(written).toEqual([]);
  listener(0).deliver(aRecord());
  mirror.ensure();
  expect(written).toHaveLength(2);
  listener(0).silence();
  mirror.ensure();
  expect(written).toHaveLength(2);
});

it('asks the server anew where a consume was answered something that the listener never brought', () => {
  const { mirror, listener, listeners, answered } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).deliver(aRecord({ updatedAt: 1_000 }));
  answered.updatedAt = 5_000;
  mirror.ensure();
  expect(listener(0).detached).toBe(true);
  expect(listeners).toHaveLength(2);
});

it('tells whenever the server cannot be heard, which may be because the session has ended', () => {
  const { mirror, listener, unheard } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).silence();
  listener(0).fail();
  listener(0).silence();
  expect(unheard).toEqual(['ada', 'ada']);
});

it('says what the server says now, and that it cannot be heard rather than what it said once', async () => {
  const { mirror, listener } = mirrorInAWorld();
  expect(await mirror.word(1)).toEqual({ kind: 'silent' });
  mirror.follow('ada');
  expect(await mirror.word(1)).toEqual({ kind: 'silent' });
  const word = mirror.word(1_000);
  listener(0).deliver(aRecord());
  expect(await word).toEqual({ kind: 'heard', uid: 'ada', record: aRecord() });
  listener(0).silence();
  expect(await mirror.word(1)).toEqual({ kind: 'silent' });
  const again = mirror.word(1_000);
  listener(0).deliver(null);
  expect(await again).toEqual({ kind: 'heard', uid: 'ada', record: null });
});

it('knows whether the server has answered', async () => {
  const { mirror, listener } = mirrorInAWorld();
  mirror.follow('ada');
  expect(await mirror.heard(1)).toBe(false);
  const heard = mirror.heard(1_000);
  listener(0).deliver(null);
  expect(await heard).toBe(true);
});

it('lets wait for the server also before it listens to anybody', async () => {
  const { mirror, listener } = mirrorInAWorld();
  const word = mirror.word(10_000);
  mirror.follow('ada');
  listener(0).deliver(null);
  expect(await word).toEqual({ kind: 'heard', uid: 'ada', record: null });
});

const hold = (expiresAt: number) => ({
  reservation: `until-${expiresAt}`,
  feature: 'demo',
  credits: 1,
  expiresAt,
});

it('copies the record again when a hold in it expires: no record comes to say that', () => {
  const { mirror, listener, written, later, clock } = mirrorInAWorld();
  mirror.follow('ada');
  const record = aRecord({ creditHolds: [hold(9_000), hold(5_000), hold(1_000)] });
  listener(0).deliver(record);
  expect(later.map(({ ms }) => ms)).toEqual([3_000]);
  clock.now = 5_000;
  later[0]?.step();
  expect(written).toHaveLength(2);
  expect(later.map(({ ms }) => ms)).toEqual([3_000, 4_000]);
  clock.now = 9_000;
  later[1]?.step();
  expect(written).toHaveLength(3);
  expect(later).toHaveLength(2);
});

it('leaves a record alone that was replaced, or is of a user whom it no longer follows', () => {
  const { mirror, listener, written, later } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).deliver(aRecord({ creditHolds: [hold(5_000)] }));
  listener(0).deliver(aRecord({ updatedAt: 2_000, creditHolds: [hold(6_000)] }));
  later[0]?.step();
  expect(written).toHaveLength(2);
  mirror.follow(null);
  later[1]?.step();
  expect(written).toHaveLength(2);
});

it('listens as long as somebody looks, and begins again when they come back', () => {
  const { mirror, listener, listeners, attached, clock, leave } = mirrorInAWorld();
  mirror.follow('ada');
  listener(0).deliver(aRecord());
  clock.now += LOOKED_AT_MS - 1;
  mirror.ensure();
  leave();
  expect(attached()).toBe(0);
  mirror.ensure();
  expect([attached(), listeners.length]).toEqual([1, 2]);
});

it('goes on listening while a page says hello in time', () => {
  const { mirror, clock, leave, attached, listeners } = mirrorInAWorld();
  mirror.follow('ada');
  clock.now += 20_000;
  mirror.ensure();
  clock.now -= 20_000; // the first minute ends, and the hello was 20 s into it
  leave();
  expect([attached(), listeners.length]).toEqual([1, 1]);
});

it('stops listening in time where the clock was set back meanwhile, by more than a timer can be set to', () => {
  const { mirror, clock, leave, attached, waiting } = mirrorInAWorld();
  clock.now += 500 * DAY;
  mirror.ensure();
  mirror.follow('ada');
  clock.now -= 400 * DAY;
  leave();
  expect([attached(), waiting()]).toEqual([0, 0]);
});

const seenAt = (contactAt: number) => aSnapshot({ uid: 'ada', contactAt });
const asleep = (known: EntitlementSnapshot | null) => mirrorInAWorld({ isLookedAt: false, known });
/** All that a promise in the way of a look has to settle. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

it('asks for nothing where nobody looks, and the server’s word is of today', async () => {
  const { mirror, listeners } = asleep(seenAt(1_000));
  mirror.follow('ada');
  mirror.look();
  await settled();
  expect(listeners).toEqual([]);
});

it.each([
  ['nothing of theirs is stored', null],
  ['what is stored is another’s', aSnapshot({ uid: 'grace', contactAt: 1_000 })],
  ['it is a day old', seenAt(2_000 - DAY)],
  ['it is of a time that has not come yet', seenAt(9_000)],
])('has one look where nobody looks, and %s', async (_why, known) => {
  const { mirror, listener, listeners, attached, written } = asleep(known);
  mirror.follow('ada');
  mirror.look();
  await vi.waitFor(() => expect(listeners).toHaveLength(1));
  listener(0).deliver(aRecord());
  expect(written).toHaveLength(1);
  await vi.waitFor(() => expect(attached()).toBe(0));
  expect(listeners).toHaveLength(1);
});

it('stays with a look where somebody comes meanwhile: one listener is enough', async () => {
  const { mirror, listener, listeners, attached } = asleep(null);
  mirror.follow('ada');
  await vi.waitFor(() => expect(listeners).toHaveLength(1));
  mirror.ensure();
  listener(0).deliver(aRecord());
  await settled();
  expect([attached(), listeners.length]).toEqual([1, 1]);
});

it('gives a look up that is not answered, and has another at the next wake', async () => {
  const { mirror, listener, listeners, later, clock } = asleep(null);
  mirror.follow('ada');
  await vi.waitFor(() => expect(listeners).toHaveLength(1));
  listener(0).fail();
  later.find(({ ms }) => ms === 1_000)?.step();
  expect(listeners).toHaveLength(2);
  clock.now += 30_000;
  for (const { step } of [...later]) step();
  expect(listener(1).detached).toBe(true);
  mirror.look();
  await vi.waitFor(() => expect(listeners).toHaveLength(3));
});

it('has no more looks for all the messages of a worker whose listener has just failed', async () => {
  const { mirror, listener, listeners, later } = asleep(null);
  mirror.follow('ada');
  await vi.waitFor(() => expect(listeners).toHaveLength(1));
  listener(0).fail();
  for (let message = 0; message < 3; message++) {
    mirror.look();
    await settled();
  }
  expect(listeners).toHaveLength(1);
  later.find(({ ms }) => ms === 1_000)?.step();
  expect(listeners).toHaveLength(2);
});

it('stays with a look that hears what was before a consume that is answered already, until it hears what came of that', async () => {
  const { mirror, listener, listeners, attached, answered } = asleep(null);
  mirror.follow('ada');
  await vi.waitFor(() => expect(listeners).toHaveLength(1));
  answered.updatedAt = 5_000;
  listener(0).deliver(null);
  await settled();
  expect(attached()).toBe(1);
  listener(0).deliver(aRecord({ updatedAt: 5_000 }));
  await vi.waitFor(() => expect(attached()).toBe(0));
});

it('writes no expected free credits over a record that came while they were asked for, such as a purchase', async () => {
  const asking = Promise.withResolvers<SnapshotCredits>();
  const { mirror, listener, written } = mirrorInAWorld({ expected: () => asking.promise });
  mirror.follow('ada');
  listener(0).deliver(null);
  const bought = aRecord({ creditsRemaining: 100 });
  listener(0).deliver(bought);
  asking.resolve(someCredits(20));
  await vi.waitFor(() => expect(written).toHaveLength(1));
  mirror.follow(null);
  await asking.promise;
  expect(written).toEqual([{ uid: 'ada', record: bought }]);
});
