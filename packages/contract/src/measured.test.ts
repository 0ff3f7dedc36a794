import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLedgerEntry, readUsageEntry } from './ledger.ts';
import { linesOf, measuredCost, unknownUnit } from './measured.ts';

const chat = {
  hold: 50,
  rates: {
    input: { credits: 1, per: 1_000 },
    cached: { credits: 1, per: 10_000 },
    output: { credits: 4, per: 1_000 },
  },
};

/** The sum as school does it: everything over one denominator, and that one only rounded at the end. */
function bySchool(rates: readonly { quantity: number; credits: number; per: number }[]): number {
  let top = 0n;
  let bottom = 1n;
  for (const { quantity, credits, per } of rates) {
    top = top * BigInt(per) + BigInt(quantity) * BigInt(credits) * bottom;
    bottom *= BigInt(per);
  }
  let whole = top / bottom;
  if (whole * bottom < top) whole += 1n;
  return Number(whole);
}

describe('what units of work cost', () => {
  it('is the sum of all of them, rounded up once', () => {
    expect(measuredCost(chat, { input: 1_200, cached: 300, output: 450 })).toBe(4);
    expect(measuredCost(chat, { input: 1 })).toBe(1);
    expect(measuredCost(chat, {})).toBe(0);
    expect(measuredCost(chat, { input: 600, output: 100 })).toBe(1);
  });

  it('does not drift where fractions of floating point would', () => {
    const tenths = Object.fromEntries(
      ['a', 'b', 'c'].map((unit) => [unit, { credits: 1, per: 10 }] as const),
    );
    expect(measuredCost({ hold: 1, rates: tenths }, { a: 1, b: 2, c: 7 })).toBe(1);
  });

  it('is the exact sum for any rates and quantities, and never less for more work', () => {
    const line = fc.record({
      quantity: fc.oneof(fc.nat(5_000), fc.nat(1_000_000_000)),
      credits: fc.nat(50),
      per: fc.oneof(fc.constantFrom(1, 3, 7, 10, 1_000, 1_000_000), fc.integer({ min: 1, max: 999_983 })),
    });
    fc.assert(
      fc.property(fc.array(line, { maxLength: 10 }), fc.nat(9), fc.nat(1_000), (lines, index, more) => {
        const named = lines.map((each, at) => [`unit${at}`, each] as const);
        const feature = { hold: 1, rates: Object.fromEntries(named) };
        const units = Object.fromEntries(named.map(([unit, { quantity }]) => [unit, quantity]));
        const cost = measuredCost(feature, units);
        expect(cost).toBe(bySchool(lines));
        const unit = `unit${index}`;
        if (!(unit in units)) return;
        expect(measuredCost(feature, { ...units, [unit]: (units[unit] ?? 0) + more })).toBeGreaterThanOrEqual(
          cost,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('is not known for a unit without a rate, and for what is no number of units', () => {
    expect(unknownUnit(chat, { input: 1, images: 2 })).toBe('images');
    expect(unknownUnit({ hold: 1 }, { input: 1 })).toBe('input');
    expect(unknownUnit(chat, { constructor: 5 })).toBe('constructor');
    expect(unknownUnit(chat, { output: 0 })).toBeNull();
    expect(() => measuredCost(chat, { images: 2 })).toThrow('images');
    for (const quantity of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => measuredCost(chat, { input: quantity })).toThrow(RangeError);
    }
  });
});

describe('a receipt', () => {
  const lines = linesOf(chat, { output: 450, input: 1_200, cached: 0 });

  it('has a line for each unit that was used, in the order of the catalogue', () => {
    expect(lines).toEqual([
      { unit: 'input', quantity: 1_200, credits: 1, per: 1_000 },
      { unit: 'output', quantity: 450, credits: 4, per: 1_000 },
    ]);
  });

  const confirm = {
    ...{ kind: 'confirm', feature: 'chat', cost: 3, deltaAllowance: -3, deltaPack: 0 },
    ...{ allowance: 7, packCredits: 0 },
  };

  it('is read as it was written, in the ledger and in the usage', () => {
    const receipt = { label: 'small-model', lines };
    expect(readLedgerEntry('settle_a', { ...confirm, receipt })).toMatchObject({ receipt });
    expect(readUsageEntry('settle_a', { ...confirm, receipt }).receipt).toEqual(receipt);
  });

  it.each([
    { lines: 'none' },
    { label: 7 },
    { label: 'two\nlines' },
    { lines: [{ unit: 'a', quantity: 0.5, credits: 1, per: 1 }] },
    'text',
  ])('that is none is left out, and the entry is read all the same: %j', (receipt) => {
    expect(readLedgerEntry('settle_a', { ...confirm, receipt })).not.toHaveProperty('receipt');
    expect(readUsageEntry('settle_a', { ...confirm, receipt })).not.toHaveProperty('receipt');
  });

  it('is in no entry from before there were any', () => {
    expect(readLedgerEntry('settle_a', confirm)).toMatchObject({ kind: 'confirm', cost: 3 });
    expect(readUsageEntry('settle_a', confirm)).not.toHaveProperty('receipt');
  });
});
