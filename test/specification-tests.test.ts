import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** `| what | `file` › part of the test's name |` */
const rows = [...read('docs/specification-tests.md').matchAll(/^\| (.+?) \| `([^`]+)` › ?(.*?) ?\|$/gm)].map(
  ([, what = '', file = '', name = '']) => ({ what, file, name }),
);
const specification = ['Credit balance moves', 'Errors', 'Events', 'What the service does', 'Authentication'];

describe('the table of the specification against its tests', () => {
  it('has every part of the specification that states a rule', () => {
    const headings = [...read('docs/specification-tests.md').matchAll(/^## (.+)$/gm)].map(
      ([, title]) => title,
    );
    expect(headings).toEqual(expect.arrayContaining(specification));
    expect(rows.length).toBeGreaterThan(50);
  });

  it.each(rows)('$what: $file has "$name"', ({ file, name }) => {
    expect(existsSync(new URL(file, root)), `${file} is gone`).toBe(true);
    expect(read(file)).toContain(name);
  });
});
