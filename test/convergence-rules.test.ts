import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const text =
  read('docs/architecture.md').split('## The rules, each with its test')[1]?.split('\n## ')[0] ?? '';

/** `| rule | `file` › part of the test's name |` */
const rows = [...text.matchAll(/^\| (.+?) \| `([^`]+)` › (.+?) \|$/gm)].map(
  ([, rule = '', file = '', name = '']) => ({ rule, file, name }),
);

describe('the table of the rules against its tests', () => {
  it('names a test for every rule', () => {
    const lines = text.match(/^\| (?!rule|---)/gm) ?? [];
    expect(rows).toHaveLength(lines.length);
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('$rule: $file has "$name"', ({ file, name }) => {
    expect(existsSync(new URL(file, root)), `${file} is gone`).toBe(true);
    expect(read(file)).toContain(name);
  });
});
