import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Messages } from '../../../packages/client/test/fake-i18n.ts';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const LOCALES = '../../public/_locales';
const messagesOf = (locale: string): Messages =>
  JSON.parse(readFileSync(at(`${LOCALES}/${locale}/messages.json`), 'utf8'));
const english = messagesOf('en');

const source = readdirSync(at('.'), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
  .map((name) => readFileSync(at(`./${name}`), 'utf8'))
  .concat(readFileSync(at('../../manifest.config.ts'), 'utf8'))
  .join('\n');

/** The compiler holds that every key that is used exists (demo-text.ts). */
it('has no text of its own that nothing shows', () => {
  // What features are called is asked by their names, which are the catalogue's.
  const own = Object.keys(english).filter((key) => !/^(?:feature|run)_/.test(key));
  expect(own.filter((key) => !source.includes(`'${key}'`))).toEqual([]);
});

it.each(readdirSync(at(LOCALES)))('has every text of its own in %s', (locale) => {
  const messages = messagesOf(locale);
  expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  for (const [key, { message }] of Object.entries(messages)) expect(message.trim(), key).not.toBe('');
});
