import { describe, expect, it } from 'vitest';
import { addToJsonList, parseJson, setJson } from './json.ts';
import { addFirstLine, addLastLine } from './script.ts';

describe('a line in front of a script', () => {
  it.each([
    ['', 'L\n'],
    ['a();\n', 'L\na();\n'],
    ["'use strict';\n\n// b\na();\n", "'use strict';\nL\n\n// b\na();\n"],
    ["// c\n'use strict'", "// c\n'use strict'\nL\n"],
    ['#!/usr/bin/env node\na();', '#!/usr/bin/env node\nL\na();'],
    ['/* c\n */\n// d\n\na();\n', '/* c\n */\n// d\nL\n\na();\n'],
    ['\uFEFFa();\r\n', '\uFEFFL\r\na();\r\n'],
    ['"use strict";\r\na();\r\n', '"use strict";\r\nL\r\na();\r\n'],
    ["'use strict'; // c\r\na();\r\n", "'use strict'; // c\r\nL\r\na();\r\n"],
    ['"use strict";(() => {})();\n', '"use strict";\nL\n(() => {})();\n'],
    ["'use it'.split();\n", "L\n'use it'.split();\n"],
    ['/* inline */ a();\n', 'L\n/* inline */ a();\n'],
    ['// only a comment', '// only a comment\nL\n'],
  ])('goes into %j where it may', (before, after) => {
    expect(addFirstLine(before, 'L')).toBe(after);
    expect(addFirstLine(after, 'L')).toBe(after);
  });

  it('is not taken for there where a comment says it', () => {
    expect(addFirstLine('a();\n// import x\n', 'import x')).toBe('import x\na();\n// import x\n');
  });
  it('goes behind everything, on a line of its own', () => {
    expect(addLastLine('a();', 'L')).toBe('a();\nL');
    expect(addLastLine('a();\r\n', 'L')).toBe('a();\r\nL\r\n');
  });
});

describe('JSON', () => {
  it.each([
    ['{}', '{\n  "a": 1\n}'],
    ['{"b":2}', '{"b":2, "a": 1}'],
    ['{\n\t"b": [1, 2]\n}\n', '{\n\t"b": [1, 2],\n\t"a": 1\n}\n'],
    ['{\n  "b": 2, // of b\n}\n', '{\n  "b": 2, // of b\n  "a": 1,\n}\n'],
    ['{\n  "b": 2 // of b\n}\n', '{\n  "b": 2, // of b\n  "a": 1\n}\n'],
    ['{\n  // none yet\n}', '{\n  // none yet\n  "a": 1\n}'],
    ['{ /* none */ }', '{ /* none */\n  "a": 1\n}'],
    ['{\n  "a": 0, "b": 2\n}\n', '{\n  "a": 1, "b": 2\n}\n'],
  ])('%j gets a value and keeps the rest', (before, after) => {
    expect(setJson(before, ['a'], 1)).toBe(after);
    expect(setJson(after, ['a'], 1)).toBe(after);
  });

  it.each([
    ['{"l": []}', ['x', 'y']],
    ['{"l": ["x"]}', ['x', 'y']],
    ['{\n  "l": [\n    "w",\n    "x"\n  ]\n}', ['w', 'x', 'y']],
    ['{ "m": 1 }', ['x', 'y']],
    ['{ "l": ["x",], }', ['x', 'y']],
  ])('the list of %j gets what is missing', (before, list) => {
    const after = addToJsonList(before, ['l'], ['x', 'y']);
    expect(parseJson(after)).toMatchObject({ l: list });
    expect(addToJsonList(after, ['l'], ['x', 'y'])).toBe(after);
  });
  it('makes what is above a value, too', () => {
    expect(JSON.parse(addToJsonList('{}', ['a', 'b'], ['x']))).toEqual({ a: { b: ['x'] } });
  });
});
