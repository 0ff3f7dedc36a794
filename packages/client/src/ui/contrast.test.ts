import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const sheet = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');
const tokens = sheet('./tokens.css') + sheet('./control-tokens.css');
const isDark = (at: number): boolean => tokens.lastIndexOf('@media', at) > tokens.lastIndexOf('@layer', at);

/** The colours of a theme, by the names of their properties; dark ones stand over light ones. */
function coloursOf(theme: 'light' | 'dark'): ReadonlyMap<string, string> {
  const found = [...tokens.matchAll(/--billing-([\w-]+): (#[0-9a-f]{6});/g)];
  const [light, dark] = [
    found.filter(({ index }) => !isDark(index)),
    found.filter(({ index }) => isDark(index)),
  ];
  const used = theme === 'light' ? light : [...light, ...dark];
  return new Map(used.map(([, name = '', colour = '']) => [name, colour]));
}

/** WCAG's contrast ratio. */
function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

it.each(['light', 'dark'] as const)(
  'tells parts of the meter and edges of buttons apart by 3:1 (WCAG 1.4.11): %s',
  (theme) => {
    const colours = coloursOf(theme);
    const pairs = [
      ['border-strong', 'surface'],
      ['border-strong', 'canvas'],
      ['accent', 'track'],
      ['meter-packs', 'track'],
      ['warning-fill', 'track'],
    ] as const;
    const low = pairs.filter(
      ([one, other]) => contrast(colours.get(one) ?? '', colours.get(other) ?? '') < 3,
    );
    expect(low).toEqual([]);
    expect(sheet('./button.css')).toContain('border: 1px solid var(--billing-border-strong)');
    expect(sheet('./meter/meter.css')).toContain('var(--billing-track)');
  },
);
