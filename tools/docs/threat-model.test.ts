import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readNamedTests } from '../test/named-tests.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const document = read('docs/threat-model.md');

/** What every threat model of a billing service has to speak of, and a word that such a row holds. */
const TOPICS = [
  ['stolen tokens', 'stolen token'],
  ['tokens of the emulator', 'auth emulator'],
  ['forged webhooks', 'forged'],
  ['replayed webhooks', 'replayed'],
  ['price tampering', 'price id'],
  ['trial farming', 'second trial'],
  ['balance races', 'spent twice'],
  ['hostile extensions', 'another extension'],
  ['hostile content scripts', 'content script'],
  ['hostile pages', 'externally_connectable'],
  ['malicious keys', 'idempotency keys'],
  ['prototype pollution', '__proto__'],
  ['oversized bodies', 'too large'],
  ['log leaks', 'log line'],
  ['open redirects', 'open redirect'],
  ['secrets in bundles', 'secrets in what is deployed'],
  ['the simulator in production', 'simulator'],
  ['rules', 'listing customers'],
  ['enumeration', 'which addresses'],
  ['denial of wallet', 'flood'],
] as const;

describe('the threat model', () => {
  const rows = readNamedTests(document);

  it.each(TOPICS)('speaks of %s, with a test', (_topic, word) => {
    expect(rows.filter(({ what }) => what.includes(word))).not.toEqual([]);
  });

  it('is linked from where people look for it', () => {
    expect(read('SECURITY.md')).toContain('docs/threat-model.md');
    expect(read('README.md')).toContain('SECURITY.md');
  });
});
