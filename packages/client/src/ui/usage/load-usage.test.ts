import { expect, it } from 'vitest';
import type { UsageResult } from '../../messages.ts';
import { loadUsage } from './load-usage.ts';

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
  expect(loaded).toEqual({ ok: true, totals: [total, total, total], complete: true });
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
