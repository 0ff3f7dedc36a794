import { Refusal } from '../local/refusal.ts';

/**
 * The rows of a CSV file by the names in its first line (RFC 4180: quotes around what has commas, doubled inside).
 *
 * @throws Refusal where a quote is never closed, or a row has more fields than there are names
 */
export function readCsv(text: string): readonly Readonly<Record<string, string>>[] {
  const [names = [], ...rows] = fieldsIn(text.replace(/^\uFEFF/, ''));
  return rows
    .filter((row) => row.some((field) => field !== ''))
    .map((row, index) => {
      if (row.length > names.length)
        throw new Refusal(
          `Row ${index + 2} of the file has ${row.length} fields, and there are ${names.length} names.`,
        );
      return Object.fromEntries(names.map((name, column) => [name.trim(), (row[column] ?? '').trim()]));
    });
}

function fieldsIn(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const match = field.exec(text);
    if (match === null) throw new Refusal(`The file is no CSV: look at its character ${at + 1}.`);
    const [, quoted, plain = '', end = ''] = match;
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ',' && end !== '') rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}
