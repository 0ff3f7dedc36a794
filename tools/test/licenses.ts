import { readFileSync } from 'node:fs';

/** The packages of which code is in bundles, by what their source maps name. */
export function packagesIn(maps: readonly string[]): readonly string[] {
  const sources = maps.flatMap((path): readonly string[] => JSON.parse(readFileSync(path, 'utf8')).sources);
  const names = sources.map(
    (source) => /.*node_modules\/(@[^/]+\/[^/.][^/]*|[^@/.][^/]*)\//.exec(source)?.[1],
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** What a file of licenses says of each package, by its name, with the license that several share at its end. */
export function licensesIn(text: string): ReadonlyMap<string, string> {
  const [own = '', shared = ''] = text.split('\n## The Apache License\n');
  const sections = own.split(/^(?=## \S+ - \d)/m).slice(1);
  return new Map(
    sections.map((section) => [
      /^## (\S+)/.exec(section)?.[1] ?? '',
      section.includes('at the end of this file') ? section + shared : section,
    ]),
  );
}

/** Whether it is the text of a license, and not its name alone. */
export const isLicense = (section = ''): boolean =>
  section.length > 500 && /copyright/i.test(section) && /permi(?:t|ssion)|licensed under/i.test(section);
