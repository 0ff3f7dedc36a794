import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tools/test/temporary-folder.ts';
import { storeSecret } from './store-secret.ts';

const fileWith = (text: string): string => {
  const file = join(temporaryFolder(), '.secret.local');
  writeFileSync(file, text);
  return file;
};

it('puts the value in place of the old one, and leaves the other lines', () => {
  const file = fileWith('# mine\nPAYMENT_WEBHOOK_SECRET=whsec_old\nPAYMENT_SECRET_KEY=sk_test_1\n');
  expect(storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_new')).toBe(true);
  expect(readFileSync(file, 'utf8')).toBe(
    '# mine\nPAYMENT_WEBHOOK_SECRET=whsec_new\nPAYMENT_SECRET_KEY=sk_test_1\n',
  );
  expect(statSync(file).mode & 0o077).toBe(0);
});

it('does not write a value that is there', () => {
  const file = fileWith('PAYMENT_WEBHOOK_SECRET=whsec_same\n');
  expect(storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_same')).toBe(false);
});

it('adds a value that the file has not', () => {
  const file = fileWith('PAYMENT_SECRET_KEY=sk_test_1');
  storeSecret(file, 'PAYMENT_WEBHOOK_SECRET', 'whsec_new');
  expect(readFileSync(file, 'utf8')).toBe('PAYMENT_SECRET_KEY=sk_test_1\nPAYMENT_WEBHOOK_SECRET=whsec_new\n');
});
