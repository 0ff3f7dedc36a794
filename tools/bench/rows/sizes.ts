/** The first size of row (i) is this many users and nobody else. */
export const FEWEST = 10;

/** Ten customers, a hundred times as many, and so on; the last is what was asked for. */
export function sizesUpTo(most: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = FEWEST; size < most; size *= 100) sizes.push(size);
  return [...sizes, Math.max(most, FEWEST)];
}
