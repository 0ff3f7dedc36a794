/** Credits beyond this are a mistake, and sums of them would lose precision. */
const MAX_CREDITS = 1_000_000_000_000;

/** Whole credits, never negative; 0 for a value that is no amount; undefined where there is none. */
export function creditsIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !(value > 0) || value > MAX_CREDITS) return 0;
  return Math.floor(value);
}
