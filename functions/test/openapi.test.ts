import { readdirSync, readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { codesOf, OPERATIONS } from '../openapi/operations.ts';
import { printDocument } from '../openapi/print.ts';
import { STATUS_OF } from '../src/errors.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/openapi.json', () => {
  it('is what the validators and tables of the code make of it (else: npm run openapi)', () => {
    expect(read('docs/openapi.json')).toBe(printDocument());
  });

  it('is valid OpenAPI 3.1, with every reference resolved', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(read('docs/openapi.json')));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
    expect(() => validator.resolveRefs()).not.toThrow();
  });

  it('has every route of app.ts, and no other', () => {
    const mounted = [
      ...read('functions/src/app.ts').matchAll(/app\.route\('([^']+)'\)\s*\.(get|post)\(/g),
    ].map(([, path, method]) => `${method} ${path}`);
    expect(mounted.length).toBeGreaterThan(5);
    const told = OPERATIONS.map(({ path, method }) => `${method} ${path}`);
    expect(told.toSorted()).toEqual(mounted.toSorted());
  });

  it('has every error code at some route, but those of paths and methods that are not there', () => {
    const told = new Set([...OPERATIONS.flatMap(codesOf), 'not_found', 'method_not_allowed']);
    expect([...told].toSorted()).toEqual(Object.keys(STATUS_OF).toSorted());
  });

  it('is made beside the function, which imports nothing of it', () => {
    const src = new URL('../src/', import.meta.url);
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.ts'),
    );
    expect(files.length).toBeGreaterThan(50);
    const importing = files.filter((path) =>
      /from '[^']*(openapi|to-json-schema)/.test(readFileSync(new URL(path, src), 'utf8')),
    );
    expect(importing).toEqual([]);
  });

  it('refuses what is no OpenAPI', async () => {
    const broken = { ...JSON.parse(read('docs/openapi.json')), paths: { '/x': { get: { responses: 1 } } } };
    expect((await new Validator().validate(broken)).valid).toBe(false);
  });
});
