import { expect, it } from 'vitest';
import { ownIcon } from './brand-icon.tsx';

const ICONS = { 128: 'brand/large.png', 16: 'brand/tiny.png', 48: 'brand/middle.png' };

it('takes the extension’s own icon, the smallest that is large enough', () => {
  expect(ownIcon(ICONS, 24)).toBe('brand/middle.png');
  expect(ownIcon(ICONS, 48)).toBe('brand/middle.png');
  expect(ownIcon(ICONS, 72)).toBe('brand/large.png');
});

it('takes the largest where none is large enough', () => {
  expect(ownIcon({ 16: 'tiny.png' }, 48)).toBe('tiny.png');
});

it.each([undefined, {}, { small: 'named-otherwise.png' }])(
  'shows none where the manifest has %j',
  (icons) => {
    expect(ownIcon(icons, 48)).toBeNull();
  },
);
