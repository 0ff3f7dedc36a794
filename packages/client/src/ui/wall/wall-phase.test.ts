import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { dismissalHasEnded, parseDismissal, wallPhase } from './wall-phase.ts';

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
