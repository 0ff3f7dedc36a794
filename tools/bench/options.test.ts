import { describe, expect, it } from 'vitest';
import { ROW_NAMES, readOptions } from './options.ts';
import { sizesUpTo } from './row-growth.ts';

describe('the options of npm run bench', () => {
  it('are every row, five rounds and 20,000 customers when nothing is said', () => {
    expect(readOptions([])).toEqual({
      rows: ROW_NAMES,
      customers: 20_000,
      rounds: 5,
      samples: 10_200,
      json: null,
      record: false,
    });
  });

  it('keep the table’s order: the row that empties the database comes last', () => {
    expect(readOptions(['--only', 'i, e,a']).rows).toEqual(['a', 'e', 'i']);
  });

  it.each([
    [['--only', 'z'], '"z"'],
    [['--rounds', '0'], '--rounds'],
    [['--customers', 'many'], '--customers'],
    [['--samples', '1'], '--samples'],
    [['--fast'], '--fast'],
    [['--record', '--only', 'a'], '--record'],
  ])('refuse %j and name what is wrong', (argv, named) => {
    expect(() => readOptions(argv)).toThrow(named);
  });
});

describe('the sizes of row i', () => {
  it('grow a hundredfold from ten and end with what was asked for', () => {
    expect(sizesUpTo(100_000)).toEqual([10, 1_000, 100_000]);
    expect(sizesUpTo(20_000)).toEqual([10, 1_000, 20_000]);
    expect(sizesUpTo(10)).toEqual([10]);
  });
});
