import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';
import { beforeAll, expect, it } from 'vitest';
import { useEnglish } from '../../../test/fake-i18n.ts';
import type { UsageResult } from '../../messages.ts';
import { daysUntil, deriveChart, lineWords, loadUsage, OTHER } from './usage-data.ts';

beforeAll(useEnglish);

const DAYS = ['2026-11-19', '2026-11-20', '2026-11-21'];
const spent = (day: string, feature: string, credits: number): UsageTotal => ({
  day,
  feature,
  credits,
  count: 1,
});

it('shows every day of the range, the oldest first, in UTC', () => {
  expect(daysUntil(Date.UTC(2026, 2, 1, 0, 30), 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(deriveChart([], DAYS).days.map(({ day, credits }) => [day, credits])).toEqual(
    DAYS.map((day) => [day, 0]),
  );
});

it('stacks the features of a day, what was spent most at the bottom', () => {
  const { days, features } = deriveChart(
    [spent('2026-11-21', 'demo', 3), spent('2026-11-21', 'deep', 10), spent('2026-11-19', 'demo', 1)],
    DAYS,
  );
  expect(features).toEqual([
    { feature: 'deep', credits: 10 },
    { feature: 'demo', credits: 4 },
  ]);
  expect(days[2]).toEqual({
    day: '2026-11-21',
    credits: 13,
    parts: [
      { feature: 'deep', credits: 10, from: 0 },
      { feature: 'demo', credits: 3, from: 10 },
    ],
  });
});

it('adds up a day that goes on in the next page, and leaves out what is not in the range', () => {
  const { days, credits } = deriveChart(
    [spent('2026-11-20', 'demo', 3), spent('2026-11-20', 'demo', 4), spent('2026-10-01', 'demo', 50)],
    DAYS,
  );
  expect(days[1]?.parts).toEqual([{ feature: 'demo', credits: 7, from: 0 }]);
  expect(credits).toBe(7);
});

it('puts together the features beyond four, and shows five as they are', () => {
  const day = '2026-11-21';
  const five = ['a', 'b', 'c', 'd', 'e'].map((feature, index) => spent(day, feature, 10 - index));
  expect(deriveChart(five, DAYS).features.map(({ feature }) => feature)).toEqual(['a', 'b', 'c', 'd', 'e']);
  const { features } = deriveChart([...five, spent(day, 'f', 40), spent(day, 'g', 1)], DAYS);
  expect(features.map(({ feature }) => feature)).toEqual(['f', 'a', 'b', 'c', OTHER]);
  expect(features.at(-1)?.credits).toBe(7 + 6 + 1);
});

it.each([
  [0, 2],
  [1, 2],
  [3, 4],
  [5, 6],
  [9, 10],
  [24, 30],
  [11, 20],
  [100, 100],
  [4_001, 5_000],
])('ends the scale of a highest bar of %i at %i', (highest, top) => {
  expect(deriveChart(highest === 0 ? [] : [spent('2026-11-21', 'demo', highest)], DAYS).top).toBe(top);
});

const total = { day: '2026-11-21', feature: 'demo', credits: 1, count: 1 };
const page = (next: string | null): UsageResult => ({ ok: true, entries: [], totals: [total], next });

it('asks on until the last page, each after the one before it', async () => {
  const asked: (string | undefined)[] = [];
  const pages = [page('two'), page('three'), page(null)];
  const loaded = await loadUsage(
    async ({ cursor }) => {
      asked.push(cursor);
      return pages.shift() ?? page(null);
    },
    '2026-11-01',
    '2026-11-21',
  );
  expect(asked).toEqual([undefined, 'two', 'three']);
  expect(loaded).toEqual({ ok: true, totals: [total, total, total], receipts: [], complete: true });
});

const settled = (id: string): UsageEntry => ({
  ...{ id, kind: 'confirm', feature: 'chat', outcome: null, deltaAllowance: -3, deltaPack: 0 },
  ...{ balance: 7, createdAt: 1, receipt: { label: 'small-model' } },
});

it('keeps the newest receipts, and no other entry', async () => {
  const { receipt: _, ...consumed } = settled('consume_a');
  const pages: UsageResult[] = [
    {
      ...page('two'),
      entries: [settled('1'), { ...consumed, kind: 'consume' }, settled('2')],
    } as UsageResult,
    { ...page(null), entries: ['3', '4', '5', '6'].map(settled) } as UsageResult,
  ];
  const loaded = await loadUsage(async () => pages.shift() ?? page(null), '2026-11-01', '2026-11-21');
  expect(loaded.ok && loaded.receipts.map(({ id }) => id)).toEqual(['1', '2', '3', '4', '5']);
});

it('says a line of a receipt as quantity, unit and rate', () => {
  expect(lineWords({ unit: 'input', quantity: 1_200, credits: 1, per: 1_000 })).toBe('1,200 input × 1/1,000');
  expect(lineWords({ unit: 'scene', quantity: 3, credits: 2, per: 1 })).toBe('3 scene × 2');
});

it('stops after ten pages and says that there is more', async () => {
  const loaded = await loadUsage(async () => page('more'), '2026-11-01', '2026-11-21');
  expect(loaded).toMatchObject({ ok: true, complete: false });
  expect(loaded.ok && loaded.totals).toHaveLength(10);
});

it('tells why there is nothing to show', async () => {
  expect(await loadUsage(async () => ({ ok: false, reason: 'offline' }), 'a', 'b')).toEqual({
    ok: false,
    reason: 'offline',
  });
  const nobody = () => Promise.reject(new Error('no worker'));
  expect(await loadUsage(nobody, 'a', 'b')).toEqual({ ok: false, reason: 'no_worker' });
});
