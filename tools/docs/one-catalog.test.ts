import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const OUTSIDE = /^(?:node_modules|dist|docs|\.git|\.suite|\.simulator.*|coverage)$/;
const CODE = /\.(?:[cm]?[jt]sx?|html|css|json|ya?ml|sh|rules|env.*)$/;
/** The file itself, its test, and what a record of the first form says of a lifetime plan, with such records. */
const MAY: Readonly<Record<string, RegExp>> = {
  'billing.config.ts': /./,
  'packages/contract/src/define-catalog.test.ts': /./,
  'packages/contract/src/customer.ts': /^export const LEGACY_LIFETIME_PLAN/,
  'functions/test/fixtures/records-of-form-1.json': /"(?:plan|lookupKey)": /,
};

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    if (OUTSIDE.test(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (CODE.test(entry.name)) yield path;
  }
}

it('nothing but billing.config.ts names a key that it sells', () => {
  // The shipped file's, also if an owner has replaced it by their own.
  const named =
    /(?<![a-zA-Z])(?:premium_(?:monthly|yearly|lifetime|metered_monthly)|credits_pack_(?:small|large))(?![a-zA-Z])/;
  const files = [...filesIn('')];
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((line, index) => ({ at: `${file}:${index + 1}`, line, file }))
      .filter(({ line }) => named.test(line) && MAY[file]?.test(line) !== true)
      .map(({ at, line }) => `${at} ${line.trim()}`),
  );
  expect(found, 'take it from the catalogue: PLAN and PACK in tests, `sold` on the suite').toEqual([]);
});
