import type { UsageEntry } from '@extension-billing/contract/usage';
import { describe, expect, it } from 'vitest';
import { parseUsageRange, totalsOf } from './usage.ts';

const NOW = Date.parse('2026-11-21T08:00:00Z');
const at = (text: string) => Date.parse(text);

describe('the range of a usage request', () => {
  it.each([
    ['2026-11-01', '2026-11-30', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z'],
    ['2026-11-21', '2026-11-21', '2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'],
    ['2026-11-01T10:00Z', '2026-11-01T12:00:00.5+01:00', '2026-11-01T10:00:00Z', '2026-11-01T11:00:00.5Z'],
    ['2024-02-29', '2024-02-29', '2024-02-29T00:00:00Z', '2024-03-01T00:00:00Z'],
  ])('from %s to %s is from %s and before %s', (from, to, start, end) => {
    expect(parseUsageRange(from, to, NOW)).toEqual({ from: at(start), to: at(end) });
  });

  it('is the last 30 days until now, where nothing is asked for', () => {
    expect(parseUsageRange(undefined, undefined, NOW)).toEqual({
      from: NOW + 1 - 30 * 86_400_000,
      to: NOW + 1,
    });
  });

  it.each([
    ['from', 'yesterday', '2026-11-21'],
    ['from', '2026-02-30', '2026-11-21'],
    ['from', '2026-02-30T10:00:00Z', '2026-11-21'],
    ['from', '2026-13-01', '2026-11-21'],
    ['from', '2026-11-01T25:00:00Z', '2026-11-21'],
    ['from', '2026-11-01T10:00:00', '2026-11-21'],
    ['to', '0000-01-01', '0000-01-02'],
    ['to', '2026-11-01', '20261121'],
    ['to', '2026-11-01', '9999-12-31'],
    ['from', '2026-11-22', '2026-11-21'],
    ['from', '2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z'],
    ['from', '2025-11-01', '2026-11-21'],
  ])('is refused, naming %s: %s to %s', (field, from, to) => {
    expect(parseUsageRange(from, to, NOW)).toMatch(new RegExp(`^${field}: must be`));
  });
});

describe('the totals of a page', () => {
  function anEntry(fields: Partial<UsageEntry>): UsageEntry {
    return {
      id: 'consume_a',
      kind: 'consume',
      feature: 'demo',
      outcome: 'granted',
      deltaAllowance: -1,
      deltaPack: 0,
      balance: 9,
      createdAt: NOW,
      ...fields,
    };
  }

  it('add up what was spent by day and feature, from both parts of the balance', () => {
    const entries = [
      anEntry({}),
      anEntry({ feature: 'demo_deep', deltaAllowance: -2, deltaPack: -3, kind: 'confirm' }),
      anEntry({ createdAt: at('2026-11-20T23:59:59.999Z') }),
      anEntry({}),
    ];
    expect(totalsOf(entries)).toEqual([
      { day: '2026-11-21', feature: 'demo', credits: 2, count: 2 },
      { day: '2026-11-21', feature: 'demo_deep', credits: 5, count: 1 },
      { day: '2026-11-20', feature: 'demo', credits: 1, count: 1 },
    ]);
  });

  it('count no refusal, no hold and nothing that an event moved', () => {
    const entries = [
      anEntry({ outcome: 'exhausted', deltaAllowance: 0 }),
      anEntry({ kind: 'reserve', deltaAllowance: 0 }),
      anEntry({ kind: 'release', deltaAllowance: 0, outcome: null }),
      anEntry({ kind: 'grant', feature: null, outcome: null, deltaAllowance: 0, deltaPack: 100 }),
    ];
    expect(totalsOf(entries)).toEqual([]);
  });
});
