import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CALL_MS, CHECK_MS, REQUEST_MS, TRANSACTION_CALL_MS } from '../src/platform/patches.ts';
import { KEYS_WITHIN_MS } from '../src/services/accounts.ts';
import { REPETITIONS, TIMEOUT_MS } from '../src/stripe/client.ts';

const SOURCES = fileURLToPath(new URL('../src/', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../../docs/operating.md', import.meta.url));

/** The rows of the table: what is asked, and after how many seconds it ends. */
function documented(): Readonly<Record<string, number>> {
  const [, section = ''] = readFileSync(DOCUMENT, 'utf8').split('## How long it waits for others');
  const [table = ''] = section.split('\n## ');
  const rows = [...table.matchAll(/^\| ([^|]+) \| ([\d.]+) s/gm)];
  return Object.fromEntries(rows.map(([, call = '', seconds]) => [call, Number(seconds)]));
}

it('docs/operating.md says how long each call to others takes at most', () => {
  const limits = {
    'Firestore: a read, a commit': CALL_MS,
    'Firestore: a call of a transaction': TRANSACTION_CALL_MS,
    'Firestore: a connection that was not used for 10 s': CHECK_MS,
    Stripe: TIMEOUT_MS,
    'Google: accounts and claims, keys of ID tokens, access tokens': REQUEST_MS,
    'Google: keys of service accounts’ tokens': KEYS_WITHIN_MS,
  };
  const seconds = Object.entries(limits).map(([call, ms]) => [call.replace('’', "'"), ms / 1000]);
  expect(documented()).toEqual(Object.fromEntries(seconds));
  expect(REPETITIONS).toBe(1);
});

it('nothing else in the function asks anybody: a new way out comes with a limit, and a row', () => {
  const asking =
    /(?<![.\w])fetch\(|from 'node:(?:https?|http2|net|tls)'|from '(?:stripe|jose|firebase-admin\/\w+)'/;
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('.test.'))
    .filter((file) => {
      const code = readFileSync(join(SOURCES, file), 'utf8').replaceAll(/^import type [^;]+;/gms, '');
      return asking.test(code.replaceAll(/firebase-admin\/firestore/g, ''));
    });
  expect(files.toSorted()).toEqual(['deps.ts', 'services/accounts.ts', 'stripe/client.ts']);
});
