import { expect, it, vi } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { fakeStorage } from '../../../test/fake-storage-area.ts';
import { SNAPSHOT_KEY } from '../../snapshot/snapshot.ts';
import { dismissalHasEnded, forgetDismissalWhenRisen, parseDismissal, WALL_KEY, wallPhase } from './wall.ts';

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
  expect(dismissalHasEnded(dismissal, at(0))).toBe(false);
  expect(dismissalHasEnded(dismissal, aSnapshot({ uid: null }))).toBe(false);
  expect(dismissalHasEnded(dismissal, null)).toBe(false);
});

it('rises again after a balance has risen and run out', () => {
  expect(dismissalHasEnded({ uid: 'ada' }, at(100))).toBe(true);
  expect(wallPhase(at(0), null)).toBe('raised');
});

it('is dismissed by each user for themselves', () => {
  expect(wallPhase(at(0, 'grace'), { uid: 'ada' })).toBe('raised');
  expect(dismissalHasEnded({ uid: 'ada' }, at(0, 'grace'))).toBe(true);
});

it('reads what it stored, and nothing else', () => {
  expect(parseDismissal({ uid: 'ada' })).toEqual({ uid: 'ada' });
  for (const other of [undefined, null, 'ada', {}, { uid: 7 }]) expect(parseDismissal(other)).toBeNull();
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
