import { expect, it } from 'vitest';
import { EXTENSION_ID, isFirefoxId } from './extension-id.ts';

const UUID = '3ea6c5b6-f047-46a3-a6fa-8659bae85d25';

it.each([
  ['a'.repeat(32), false],
  ['mine@my-shop.example', true],
  ['@mine', true],
  [`{${UUID}}`, true],
])('%s is one; of Firefox: %s', (id, isFirefox) => {
  expect([EXTENSION_ID.test(id), isFirefoxId(id)]).toEqual([true, isFirefox]);
});

it.each(['', 'mine', 'a'.repeat(31), 'q'.repeat(32), UUID, `{${UUID}`, 'a@', 'a@b@c', 'a b@c', '{}'])(
  '"%s" is none, in no browser',
  (text) => {
    expect([EXTENSION_ID.test(text), isFirefoxId(text)]).toEqual([false, false]);
  },
);
