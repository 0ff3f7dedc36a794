import { PLAN } from '@extension-billing/contract/test/catalog';
import { expect, it } from 'vitest';
import { aSnapshot, someCredits } from '../../../test/factories.ts';
import { isFreeCeiling, nextUtcDay } from './free-ceiling.ts';

const at = (text: string): number => Date.parse(text);
const NOON = at('2026-11-22T12:00:00Z');

it('expects new free credits when the day ends in UTC, whatever the time zone', () => {
  expect(nextUtcDay(NOON)).toBe(at('2026-11-23T00:00:00Z'));
  expect(nextUtcDay(at('2026-11-22T23:59:59.999Z'))).toBe(at('2026-11-23T00:00:00Z'));
  expect(nextUtcDay(at('2026-11-23T00:00:00Z'))).toBe(at('2026-11-24T00:00:00Z'));
  expect(nextUtcDay(at('2026-12-31T20:00:00-05:00'))).toBe(at('2027-01-02T00:00:00Z'));
});

const before = aSnapshot({ paid: false, plan: null, state: 'free', credits: someCredits(20) });
const met = { before, until: nextUtcDay(NOON) };

it('stands until the day is over', () => {
  expect(isFreeCeiling(met, before, NOON)).toBe(true);
  expect(isFreeCeiling(met, { ...before, credits: someCredits(0) }, met.until - 1)).toBe(true);
  expect(isFreeCeiling(met, before, met.until)).toBe(false);
});

it('falls with a pack or a plan', () => {
  const pack = { ...before, credits: { ...someCredits(20), balance: 120, packCredits: 100 } };
  expect(isFreeCeiling(met, pack, NOON)).toBe(false);
  expect(isFreeCeiling(met, { ...before, plan: PLAN.monthly, paid: true }, NOON)).toBe(false);
  expect(isFreeCeiling({ ...met, before: pack }, pack, NOON), 'who had some before').toBe(true);
});
