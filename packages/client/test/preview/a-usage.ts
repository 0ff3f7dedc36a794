import type { UsageEntry, UsageTotal } from '@extension-billing/contract/usage';

const DAY = 86_400_000;

/** A month of spending that is the same on every run: quiet week-ends, and a feature that comes later. */
export function aUsage(now: number, features: readonly string[]): readonly UsageTotal[] {
  return Array.from({ length: 30 }, (_, ago) => ago).flatMap((ago) => {
    const at = new Date(now - ago * DAY);
    const isQuiet = at.getUTCDay() % 6 === 0;
    return features.flatMap((feature, index): UsageTotal[] => {
      const wave = ((30 - ago) * (index + 3) * 7) % (11 + index * 4);
      const credits = isQuiet ? wave % 3 : wave + (index === 0 ? 6 : 0);
      const isThere = credits > 0 && (index === 0 || ago < 22 - index);
      return isThere ? [{ day: at.toISOString().slice(0, 10), feature, credits, count: credits }] : [];
    });
  });
}

/** Calls that a backend settled: one with rates and a label, one with neither, and one that is as long as may be. */
export function someReceipts(now: number): readonly UsageEntry[] {
  const settled = (
    ago: number,
    credits: number,
    receipt: NonNullable<UsageEntry['receipt']>,
  ): UsageEntry => ({
    ...{ id: `settle_${ago}`, kind: 'confirm', feature: 'demo_deep', outcome: null, receipt },
    ...{ deltaAllowance: -credits, deltaPack: 0, balance: 100, createdAt: now - ago * 60_000 },
  });
  return [
    settled(3, 4, {
      label: 'small-model',
      lines: [
        { unit: 'input', quantity: 1_200, credits: 1, per: 1_000 },
        { unit: 'output', quantity: 450, credits: 4, per: 1_000 },
      ],
    }),
    settled(70, 1, { label: 'a search' }),
    settled(2_000, 1_234_567, {
      label: 'm'.repeat(120),
      lines: Array.from({ length: 10 }, (_, index) => ({
        ...{ unit: `${'unit'.repeat(9)}_${index}`, quantity: 1_000_000_000_000, credits: 3, per: index + 1 },
      })),
    }),
  ];
}
