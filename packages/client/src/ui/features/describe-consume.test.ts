import { beforeAll, expect, it } from 'vitest';
import { useEnglish } from '../../../test/fake-i18n.ts';
import { describeConsume } from './describe-consume.ts';

beforeAll(useEnglish);
const told = (balance: number | null, cost: number) =>
  describeConsume({ ok: true, balance, allowance: balance }, cost).text;

it('says what was spent and what is left', () => {
  expect(told(41, 1)).toBe('1 credit spent, 41 left');
  expect(told(1_036, 5)).toBe('5 credits spent, 1,036 left');
});

it('says that nothing was spent on an account without credits', () => {
  expect(told(null, 1)).toBe('Done. No credits spent.');
});

it('says why a feature did not run, and what to do next', () => {
  const refused = (reason: 'exhausted' | 'offline') =>
    describeConsume({ ok: false, balance: 0, allowance: 0, reason }, 1);
  expect(refused('exhausted')).toEqual({ tone: 'refused', text: 'Not enough credits. Top up to run this.' });
  expect(refused('offline').text).toMatch(/^You are offline\. Nothing was spent/);
});
