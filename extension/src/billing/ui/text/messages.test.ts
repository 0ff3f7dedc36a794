import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Messages } from '../../../../test/fake-i18n.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const LOCALES = '../../../../public/_locales';
const locales = readdirSync(at(LOCALES));
const messagesOf = (locale: string): Messages =>
  JSON.parse(readFileSync(at(`${LOCALES}/${locale}/messages.json`), 'utf8'));
const english = messagesOf('en');

const source = ['../..', '../../../demo']
  .flatMap((room) =>
    readdirSync(at(room), { recursive: true, encoding: 'utf8' }).map((name) => at(`${room}/${name}`)),
  )
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');
const manifest = readFileSync(at('../../../../manifest.config.ts'), 'utf8');
/** The compiler holds that every key that is used exists (text/t.ts). */
const isUsed = (key: string): boolean => source.includes(`'${key}'`) || manifest.includes(`'${key}'`);

it('has no text that nothing shows', () => {
  expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
});

it.each(locales)('has every text in %s, with the same blanks to fill in', (locale) => {
  const messages = messagesOf(locale);
  const blanks = (text = ''): readonly string[] => [...text.matchAll(/\$\d/g)].map(([blank]) => blank).sort();
  expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  for (const [key, { message }] of Object.entries(messages)) {
    expect(message.trim(), key).not.toBe('');
    expect(blanks(message), key).toEqual(blanks(english[key]?.message));
  }
});
