import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { addressesFrom } from '../../../extension/build/addresses.ts';
import { manifest } from '../../../extension/manifest.config.ts';
import * as react from '../src/exports/react.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The words in backticks of a chapter of the guide; with a column, of that column of its table. */
function named(chapter: string, column?: number): string[] {
  const [, rest = ''] = read('../../../docs/add-billing.md').split(`## ${chapter}\n`);
  const [text = ''] = rest.split('\n## ');
  const cells =
    column === undefined ? [text] : text.split('\n').flatMap((line) => line.split('|')[column] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}
const exported = Object.keys(react);

const SHEETS = ['../src/ui/tokens.css', '../src/ui/control-tokens.css'];

it('lists in the guide every property by which the look is changed, and no other', () => {
  const defined = SHEETS.flatMap((sheet) => read(sheet).match(/--billing-[\w-]+(?=:)/g) ?? []);
  expect(new Set(named('Theming').filter((name) => name.startsWith('--')))).toEqual(new Set(defined));
  expect(defined.length).toBeGreaterThan(20);
});

it('names for every component its logic without the look, all of it exported', () => {
  const components = exported.filter((name) => /^[A-Z]/.test(name) && !name.endsWith('Provider'));
  const listed = named('Without the look', 1).filter((name) => !name.endsWith('Provider'));
  expect(listed.toSorted()).toEqual(components.toSorted());
  const logic = named('Without the look', 2).filter((name) => !name.startsWith('send('));
  expect(exported).toEqual(expect.arrayContaining(logic));
  expect(logic.length).toBeGreaterThan(20);
});

it('gives every permission of the manifest its reason, and asks for no other', () => {
  const addresses = addressesFrom({ VITE_GOOGLE_CLIENT_ID: 'c' });
  const { permissions } = manifest(addresses, { development: false });
  expect(named('Permissions', 1).toSorted()).toEqual([...(permissions ?? [])].toSorted());
});

describe('colours', () => {
  /** The custom properties of a style sheet, as they are in light or in dark. */
  function tokensOf(css: string, theme: 'light' | 'dark'): Map<string, string> {
    const [light = '', ...dark] = css
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .split('@media (prefers-color-scheme: dark)');
    const text = theme === 'dark' ? [light, ...dark].join('') : light;
    return new Map(
      [...text.matchAll(/(--billing-[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [name, value]),
    );
  }
  const channels = (colour: string): number[] =>
    colour.startsWith('#')
      ? (colour.match(/\w\w/g) ?? []).map((hex) => Number.parseInt(hex, 16))
      : (colour.match(/\d+/g) ?? []).map(Number);
  /** WCAG 2, "relative luminance" and "contrast ratio". */
  function luminance(colour: string): number {
    const [red = 0, green = 0, blue = 0] = channels(colour).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(one: string, other: string): number {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }
  const [, guideTheme = ''] =
    read('../../../docs/add-billing.md').match(/```css src\/theme.css\n([\s\S]*?)```/) ?? [];

  it.each(['light', 'dark'] as const)(
    'of the guide’s theme can be read: buttons and links, in %s',
    (theme) => {
      const own = SHEETS.flatMap((sheet) => [...tokensOf(read(sheet), theme)]);
      const tokens = new Map([...own, ...tokensOf(guideTheme, theme)]);
      const of = (name: string): string => tokens.get(`--billing-${name}`) ?? '';
      expect(of('accent')).toMatch(/^rgb/);
      expect(contrast(of('accent'), of('on-accent'))).toBeGreaterThanOrEqual(4.5);
      expect(contrast(of('accent-strong'), of('on-accent'))).toBeGreaterThanOrEqual(4.5);
      for (const ground of ['surface', 'canvas', 'sunken']) {
        expect(contrast(of('accent'), of(ground)), ground).toBeGreaterThanOrEqual(4.5);
      }
    },
  );
});

it('says in the guide that a gate in the client is a picture, and where work belongs that costs money', () => {
  const [, chapter = ''] = read('../../../docs/add-billing.md').split('## What the client cannot keep\n');
  expect(chapter.split('\n## ')[0]).toMatch(/is a picture.*on a server of yours/s);
});
