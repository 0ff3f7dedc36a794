import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BILLING = fileURLToPath(new URL('../src', import.meta.url));
const DEMO = fileURLToPath(new URL('../../../extension/src/demo', import.meta.url));
const CLIENT = '@extension-billing/client/';

interface Import {
  readonly from: string;
  /** A path in src/, or the name of a package. */
  readonly what: string;
}

const listed = (folder: string, room: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map(
    (path) => `${room}/${path.split(sep).join('/')}`,
  );
/** The file behind a path that begins with its room. */
const at = (path: string): string =>
  path.startsWith('billing/') ? join(BILLING, path.slice(8)) : join(DEMO, path.slice(5));

const files = [...listed(BILLING, 'billing'), ...listed(DEMO, 'demo')].filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path),
);

const imports: readonly Import[] = files.flatMap((from) => {
  const text = readFileSync(at(from), 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => {
    const inside = name.startsWith('.');
    const path = inside ? join(dirname(from), name).split(sep).join('/') : name;
    return { from, what: path };
  });
});

function importsOf(room: string, forbidden: (imported: Import) => boolean): string[] {
  return imports
    .filter((imported) => imported.from.startsWith(room) && forbidden(imported))
    .map(({ from, what }) => `${from} imports ${what}`);
}
const isFirebase = ({ what }: Import): boolean => what === 'firebase' || what.startsWith('firebase/');
const isReact = ({ what }: Import): boolean => /^react(-dom)?(\/|$)/.test(what);
const isPackage = ({ what }: Import): boolean =>
  !/^(billing|demo)\/|^\.\./.test(what) && !what.startsWith('@extension-billing/contract/');

it('finds the files and their imports', () => {
  expect(files).toContain('billing/messages.ts');
  expect(imports).toContainEqual({
    from: 'billing/snapshot/write.ts',
    what: 'billing/snapshot/project.ts',
  });
});

it('lets nothing but the background write the snapshot', () => {
  const writers = imports.filter(({ what }) => what === 'billing/snapshot/write.ts').map(({ from }) => from);
  expect(writers.filter((from) => !from.startsWith('billing/background/'))).toEqual([]);
  const stores = imports.filter(({ what }) => what === 'billing/snapshot/store-snapshot.ts');
  expect(stores.map(({ from }) => from)).toEqual(['billing/snapshot/write.ts']);
  expect(writers).not.toEqual([]);

  const storing = files.filter((file) =>
    /\.set\(\{ \[(SNAPSHOT_KEY|place\.key)\]/.test(readFileSync(at(file), 'utf8')),
  );
  expect(storing).toEqual(['billing/snapshot/store-snapshot.ts']);
});

it('keeps billing/ free of the rest of the extension, so that others can copy it', () => {
  expect(
    importsOf(
      'billing/',
      ({ what }) => what.startsWith('demo/') || (what.startsWith('..') && !what.startsWith('../contract/')),
    ),
  ).toEqual([]);
});

it('keeps the SDK, and with it every call to a server, in the background', () => {
  const inPages = imports.filter(({ from }) => !from.startsWith('billing/background/'));
  expect(inPages.filter(isFirebase)).toEqual([]);
  const fetching = files.filter((file) => /\bfetch\(/.test(readFileSync(at(file), 'utf8')));
  expect(fetching.filter((file) => !file.startsWith('billing/background/'))).toEqual([]);
});

it('lets pages reach the background by messages only', () => {
  const reaching = imports.filter(
    ({ from, what }) => what.startsWith('billing/background/') && !from.startsWith('billing/background/'),
  );
  expect(new Set(reaching.map(({ from }) => from))).toEqual(new Set(['billing/exports/background.ts']));
  const starting = imports.filter(({ what }) => what === `${CLIENT}background`);
  expect(starting.map(({ from }) => from)).toEqual(['demo/background.ts']);
});

it('uses billing in the demo as another extension would: through the exports of its package', () => {
  expect(importsOf('demo/', ({ what }) => what.startsWith('billing/'))).toEqual([]);
  const client = JSON.parse(readFileSync(join(BILLING, '../package.json'), 'utf8'));
  const doors = Object.keys(client.exports).map((door) => door.replace('./', CLIENT));
  const used = new Set(imports.map(({ what }) => what).filter((what) => what.startsWith(CLIENT)));
  expect(doors).toEqual(expect.arrayContaining([...used]));
  expect(used.size).toBeGreaterThan(3);
});

it('keeps React out of all but hooks and components', () => {
  expect(importsOf('billing/background/', isReact)).toEqual([]);
  expect(importsOf('billing/snapshot/', isPackage)).toEqual([]);
});

it('has no file that nothing reaches', () => {
  // The package's exports are for other extensions, whether or not the demo uses each.
  const doors = files.filter((file) => file.startsWith('billing/exports/'));
  const entries = ['demo/background.ts', ...entriesOfPages(), ...doors];
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { from, what } of imports) if (from === file) visit(what);
  };
  for (const entry of entries) visit(entry);
  expect(files.filter((file) => !reached.has(file) && !file.endsWith('.d.ts'))).toEqual([]);
});

function entriesOfPages(): string[] {
  return ['popup', 'side-panel', 'options'].flatMap((page) => {
    const html = readFileSync(join(DEMO, page, 'index.html'), 'utf8');
    return [...html.matchAll(/src="\.?\/?([^"]+\.tsx?)"/g)].map(
      ([, script = '']) => `demo/${page}/${script}`,
    );
  });
}
