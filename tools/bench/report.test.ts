import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  describeHighlights,
  describeResults,
  missingHighlights,
  type Results,
  type Row,
  replaceMeasured,
  tableOf,
  toJson,
} from './report.ts';

const aRow = (over: Partial<Row> = {}): Row => ({
  row: 'e',
  what: 'webhook',
  result: 'throughput 0.75',
  aim: 'throughput ≥ 0.7',
  met: true,
  figures: {},
  ...over,
});
const someResults = (rows: readonly Row[]): Results => ({
  at: '2026-11-21T09:12:34.000Z',
  machine: { cpus: 2, model: 'A processor', node: 'v24.21.0', loadBefore: [0.4, 0.75, 1] },
  seconds: 301.4,
  rows,
});

describe('the table of a run', () => {
  it('says beside each aim whether it is met, and nothing where none is set', () => {
    const lines = tableOf([aRow(), aRow({ met: false }), aRow({ aim: '', met: null })]).split('\n');
    expect(lines[2]).toContain(' met ');
    expect(lines[3]).toContain('not met');
    expect(lines[4]).not.toContain('met');
  });

  it('is in the document with the machine, the load and the command for each row', () => {
    const text = describeResults(someResults([aRow({ met: false })]));
    expect(text).toContain('2026-11-21 at 09:12 UTC: 2 × A processor, Node 24.21.0');
    expect(text).toContain('load averages before 0.40, 0.75, 1.00; the run took 301 s');
    expect(text).toContain('| e | webhook | throughput ≥ 0.7 | not met | throughput 0.75 | `--only e` |');
  });
});

describe('the file of a run', () => {
  it('has three digits that count, and whole numbers as they are', () => {
    const figures = { p50: 1.23456, large: 12345.678, operations: 100_001 };
    const { rows } = JSON.parse(toJson(someResults([aRow({ figures })])));
    expect(rows[0].figures).toEqual({ p50: 1.23, large: 12300, operations: 100_001 });
  });
});

describe('the block of the document', () => {
  const document = (text: string): string =>
    `before\n<!-- measured: written by npm run bench -- --record -->${text}<!-- /measured -->\nafter`;

  it('takes the place of what stood between the markers, the same when it is done again', () => {
    const once = replaceMeasured(document('old'), 'new');
    expect(once).toBe(document('\n\nnew\n\n'));
    expect(replaceMeasured(once, 'new')).toBe(once);
  });

  it('is not put anywhere when the markers are gone', () => {
    expect(() => replaceMeasured('no markers', 'new')).toThrow('needs');
  });

  it('of README.md has the rows that it should show, as far as the run has them', () => {
    const run = someResults([
      aRow(),
      aRow({ row: 'h', what: 'consume, of a user seen lately', result: '1 call' }),
    ]);
    expect(describeHighlights(run)).toContain(
      '| consume, of a user seen lately | 1 call | `npm run bench -- --only h` |',
    );
    expect(describeHighlights(run)).not.toContain('webhook');
    expect(missingHighlights(run)).toHaveLength(missingHighlights({ rows: [] }).length - 1);
  });

  it.each([
    ['docs/performance.md', describeResults],
    ['README.md', describeHighlights],
  ])('of %s is what docs/performance.json says', (document, describe) => {
    const at = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
    const file = at('docs/performance.json');
    const recorded: Results | null = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
    const text = readFileSync(at(document), 'utf8');
    expect(replaceMeasured(text, describe(recorded))).toBe(text);
  });
});
