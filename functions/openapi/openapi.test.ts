import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { PROBLEMS } from '@extension-billing/contract/problems';
import { codesOf, ROUTES } from '@extension-billing/contract/routes';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { fillTables } from './api-page.ts';
import { makeDocument } from './document.ts';
import { generatedFiles } from './generated.ts';

it.each(generatedFiles().map(({ file, text }) => [basename(file), file, text] as const))(
  'docs/%s is what the contract makes of it (else: npm run openapi)',
  (_name, file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text);
  },
);

it('a page without a place for a table is refused', () => {
  expect(() => fillTables('# The HTTP API\n')).toThrow('docs/api.md has no place for its table of routes');
});

it('has every error code at some route, but those of paths and methods that are not there', () => {
  const answered = new Set([
    ...Object.values(ROUTES).flatMap((route) => codesOf(route)),
    'not_found',
    'method_not_allowed',
  ]);
  expect([...answered].toSorted()).toEqual(Object.keys(PROBLEMS).toSorted());
});

describe('docs/openapi.json', () => {
  it('is valid OpenAPI 3.1, with every reference resolved', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(makeDocument(null))));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('refuses what is no OpenAPI', async () => {
    const broken = { ...(makeDocument(null) as object), paths: { '/x': { get: { responses: 1 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });
});
