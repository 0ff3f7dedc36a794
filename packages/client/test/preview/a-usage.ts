import type { UsageTotal } from '@extension-billing/contract/usage';

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
