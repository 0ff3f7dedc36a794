import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ELEMENTS, type ElementDefinition, propertyOf } from '../src/elements/definitions.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const guide = read('../../../docs/elements.md');

/** The words in backticks of a column, in the table of a chapter that begins with this word. */
function column(chapter: string, table: string, at: number): string[] {
  const [, rest = ''] = guide.split(`## ${chapter}\n`);
  const [text = ''] = rest.split('\n## ');
  const [, rows = ''] = text.split(`| ${table} |`);
  return rows
    .split('\n\n')[0]
    ?.split('\n')
    .slice(2)
    .flatMap((line) => line.split('|')[at]?.match(/(?<=`)[\w-]+(?=`)/g) ?? []) as string[];
}

describe.each(Object.entries<ElementDefinition>(ELEMENTS))(
  'the guide of <%s>',
  (name, { attributes, ...more }) => {
    const chapter = `\`<${name}>\``;

    it('names every attribute and property, and no other', () => {
      const own = Object.keys(attributes);
      expect(column(chapter, 'attribute', 1).toSorted()).toEqual(own.toSorted());
      const properties = [...own.map(propertyOf), ...(more.properties ?? [])];
      expect(column(chapter, 'attribute', 2).toSorted()).toEqual(properties.toSorted());
    });

    it('names every event, and no other', () => {
      expect(column(chapter, 'event', 1).toSorted()).toEqual([...more.events].toSorted());
    });
  },
);

it('describes every element that there is', () => {
  const chapters = [...guide.matchAll(/^## `<([\w-]+)>`$/gm)].map(([, name]) => name);
  expect(chapters).toEqual(Object.keys(ELEMENTS));
});

it('names all that the file gives beside the elements', () => {
  const exported = [...read('../src/exports/elements.ts').matchAll(/^export \{ (.+) \} from/gm)].flatMap(
    ([, names = '']) => names.split(', ').filter((name) => !name.startsWith('type ')),
  );
  const [, chapter = ''] = guide.split('## In code\n');
  const [list = ''] = chapter.split(':');
  expect((list.match(/(?<=`)\w+(?=`)/g) ?? []).toSorted()).toEqual(exported.toSorted());
  expect(exported.length).toBeGreaterThan(5);
});
