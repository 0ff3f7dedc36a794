import { expect, it, vi } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { fakeStorage } from '../../../test/fake-storage-area.ts';
import { SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';
import {
  dismissed,
  followBalance,
  forgetDismissalWhenRisen,
  parseStoredWall,
  raisesWall,
  storedWallHasEnded,
  WALL_KEY,
  wallPhase,
} from './wall.ts';

const at = (balance: number, uid = 'ada') => aSnapshot({ uid, credits: someCredits(balance) });

it('rises at 0 and only there', () => {
  expect(wallPhase(at(0), null)).toBe('raised');
  expect(wallPhase(at(1), null)).toBe('down');
});

it('never rises where credits are not in use, signed out or before anything is known', () => {
  expect(wallPhase(aSnapshot({ credits: null }), null)).toBe('down');
  expect(wallPhase(aSnapshot({ uid: null, credits: null }), null)).toBe('down');
  expect(wallPhase(null, null)).toBe('down');
});

it('stays away once dismissed, through every change at 0', () => {
  const dismissal = { uid: 'ada' };
  expect(wallPhase(at(0), dismissal)).toBe('dismissed');
  expect(storedWallHasEnded(dismissal, at(0))).toBe(false);
  expect(storedWallHasEnded(dismissal, aSnapshot({ uid: null }))).toBe(false);
  expect(storedWallHasEnded(dismissal, null)).toBe(false);
});

it('rises again after a balance has risen and run out', () => {
  expect(storedWallHasEnded({ uid: 'ada' }, at(100))).toBe(true);
  expect(wallPhase(at(0), null)).toBe('raised');
});

it('is dismissed by each user for themselves', () => {
  expect(wallPhase(at(0, 'grace'), { uid: 'ada' })).toBe('raised');
  expect(storedWallHasEnded({ uid: 'ada' }, at(0, 'grace'))).toBe(true);
});

const refusal = (balance: number, uid = 'ada') => ({ uid, refused: { feature: 'demo_deep', balance } });

it('rises when a spend is refused, dismissed or not, at any balance, until the balance rises', () => {
  for (const balance of [0, 4]) {
    expect(wallPhase(at(balance), refusal(balance))).toBe('raised');
    expect(storedWallHasEnded(refusal(balance), at(balance))).toBe(false);
    expect(storedWallHasEnded(refusal(balance), at(balance + 1))).toBe(true);
  }
  expect(wallPhase(at(3), refusal(4)), 'after another spend').toBe('raised');
  expect(wallPhase(at(104), refusal(4))).toBe('down');
  expect(wallPhase(at(4, 'grace'), refusal(4)), 'another user').toBe('down');
  expect(wallPhase(aSnapshot({ credits: null }), refusal(0)), 'credits are not in use yet').toBe('raised');
});

it('falls with the next rise, also after other features have spent more than that brings', () => {
  const spent = followBalance(refusal(50), at(5));
  expect(spent).toEqual(refusal(5));
  expect(wallPhase(at(5), spent)).toBe('raised');
  expect(followBalance(refusal(5), at(25)), 'a small pack').toBeNull();
  for (const unknown of [null, aSnapshot({ uid: null })])
    expect(followBalance(refusal(50), unknown)).toEqual(refusal(50));
  expect(followBalance({ uid: 'ada' }, at(0))).toEqual({ uid: 'ada' });
});

it('is up again at 0 after it was dismissed at a positive balance', () => {
  expect(dismissed(at(4))).toBeNull();
  expect(dismissed(at(0))).toEqual({ uid: 'ada' });
});

it('reads what it stored, and nothing else', () => {
  expect(parseStoredWall({ uid: 'ada' })).toEqual({ uid: 'ada' });
  expect(parseStoredWall(refusal(4))).toEqual(refusal(4));
  for (const refused of [null, 7, {}, { feature: 'demo' }])
    expect(parseStoredWall({ uid: 'ada', refused })).toEqual({ uid: 'ada' });
  for (const other of [undefined, null, 'ada', {}, { uid: 7 }]) expect(parseStoredWall(other)).toBeNull();
});

it('is raised by every spend of a user that is refused with a 402, and by no other answer', async () => {
  const { storage, area, peek } = fakeStorage({ [WALL_KEY]: { uid: 'ada' } });
  const answers = { ok: false, balance: 4, allowance: 4 } as const;
  const spend = async (reason: string) => {
    const result = { ...answers, reason };
    const spent = raisesWall({ uid: async () => 'ada', local: storage.local }, async () => result);
    expect(await spent({ feature: 'demo_deep' })).toBe(result);
    return peek(WALL_KEY);
  };
  expect(await spend('offline')).toEqual({ uid: 'ada' });
  expect(await spend('exhausted')).toEqual(refusal(4));
  forgetDismissalWhenRisen(storage);
  await area.set(storedAt(4));
  await new Promise((resolve) => setImmediate(resolve));
  expect(peek(WALL_KEY), 'the balance that was refused is mirrored').toEqual(refusal(4));
  await area.set(storedAt(1));
  await vi.waitFor(() => expect(peek(WALL_KEY)).toEqual(refusal(1)));
  await area.set(storedAt(3));
  await vi.waitFor(() => expect(peek(WALL_KEY)).toBeUndefined());
});

const storedAt = (balance: number) => ({ [SNAPSHOT_KEY]: aSnapshot({ credits: someCredits(balance) }) });

it('ends a dismissal when the balance rises with no page open, and not before', async () => {
  const { storage, area, peek } = fakeStorage({ ...storedAt(0), [WALL_KEY]: { uid: 'ada' } });
  forgetDismissalWhenRisen(storage);
  await area.set({ somethingElse: 1 });
  await area.set(storedAt(0));
  await new Promise((resolve) => setImmediate(resolve));
  expect(peek(WALL_KEY)).toEqual({ uid: 'ada' });
  await area.set(storedAt(100));
  await vi.waitFor(() => expect(peek(WALL_KEY)).toBeUndefined());
});
