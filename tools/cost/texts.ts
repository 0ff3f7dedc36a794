// How the pages write figures and tables.

/** @param texts the first columns, which are no figures */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], texts = 1): string {
  const marks = heading.map((_, n) => (n < texts ? '---' : '---:'));
  return [heading, marks, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
export const cents = (amount: number): string => `${(amount * 100).toFixed(2)} ¢`;
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
export const count = (value: number): string => new Intl.NumberFormat('en').format(value);
/** With two digits that count: what a model says beyond them is noise. */
export const rough = (value: number): string =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 2 }).format(value);
