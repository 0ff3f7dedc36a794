import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

it('lists in the guide every property by which the look is changed, and no other', () => {
  const defined = read('../src/billing/ui/tokens.css').match(/--billing-[\w-]+(?=:)/g) ?? [];
  const [, theming = ''] = read('../../docs/add-billing.md').split('## Theming');
  const listed = theming.match(/--billing-[\w-]+/g) ?? [];
  expect(new Set(listed)).toEqual(new Set(defined));
  expect(defined.length).toBeGreaterThan(20);
});
