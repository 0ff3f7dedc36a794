import fc from 'fast-check';

/** Texts that are special somewhere on their way: as a key, a path, a header, a document id. */
export const oddText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '__proto__',
    '__name__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'undefined',
    '../customers/other',
    'a/b',
    '.',
    '..',
    '\0',
    'demo\0',
    '\r\nx-injected: 1',
    '\u202Eabc',
    '\uD800',
    '-5',
    '1e999',
    'x'.repeat(129),
    'x'.repeat(2_000),
  ),
  fc.string(),
  fc.string({ unit: 'binary' }),
);

/** Anything that JSON can carry; odd texts, numbers at the edges and inherited names more often than by chance. */
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  oddText,
  fc.constantFrom<unknown>(null, true, false, 0, -1, 0.5, 1e308, -1e308, 2 ** 53, 253_402_300_800, [], {}, [
    null,
  ]),
  fc.integer(),
  fc.jsonValue({ maxDepth: 1 }),
  fc.constant(JSON.parse('{"__proto__":{"polluted":true},"id":7,"data":7,"toString":null}')),
  fc.constant({ id: 'obj_deleted', object: 'thing', deleted: true }),
);
