import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'vite';
import { expect, it } from 'vitest';

/** The rooms of the client and the demo that uses it: which files may import which, read with vite's parser. */
const ROOTS = {
  client: fileURLToPath(new URL('../src', import.meta.url)),
  demo: fileURLToPath(new URL('../../../extension/src/demo', import.meta.url)),
};
const PACKAGE = '@extension-billing/client/';
/** Where the background runs in a tab of a web app. */
const IN_A_TAB = 'client/web/serve.ts';
const PAGES = ['popup', 'side-panel', 'options'];

interface Import {
  /** A path that begins with `client/` or `demo/`. */
  readonly from: string;
  /** Such a path, one that leaves both, or the name of a package. */
  readonly what: string;
  readonly isTypeOnly: boolean;
}

const files = Object.entries(ROOTS).flatMap(([root, folder]) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => `${root}/${path.split(sep).join('/')}`),
);
const modules = files.map((file) => {
  const [root = '', ...path] = file.split('/');
  const text = readFileSync(join(ROOTS[root as keyof typeof ROOTS], ...path), 'utf8');
  return { file, text, parsed: parseSync(file, text) };
});
const imports = modules.flatMap(({ file, text, parsed }): Import[] => {
  const { staticImports, staticExports, dynamicImports } = parsed.module;
  const named = [
    ...staticImports.map(({ moduleRequest, entries }) => ({
      name: moduleRequest.value,
      isTypeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    })),
    ...staticExports
      .flatMap(({ entries }) => entries)
      .flatMap(({ moduleRequest, isType }) =>
        moduleRequest === null ? [] : [{ name: moduleRequest.value, isTypeOnly: isType }],
      ),
    ...dynamicImports.map(({ moduleRequest }) => ({
      name: text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
      isTypeOnly: false,
    })),
  ];
  return named.map(({ name, isTypeOnly }) => ({
    from: file,
    what: name.startsWith('.') ? join(file, '..', name).split(sep).join('/') : name,
    isTypeOnly,
  }));
});

/** Each import of a room that breaks a rule, in words. */
const importsOf = (room: string, forbidden: (what: string) => boolean): string[] =>
  imports
    .filter(({ from, what }) => from.startsWith(room) && forbidden(what))
    .map(({ from, what }) => `${from} imports ${what}`);
const importersOf = (what: string): Set<string> =>
  new Set(imports.filter((found) => found.what.startsWith(what)).map(({ from }) => from));
const isOutside =
  (...rooms: readonly string[]) =>
  (file: string): boolean =>
    !rooms.some((room) => file.startsWith(room));

/** Whether a module calls a global function. */
const calls = (name: string, node: unknown): boolean => {
  if (typeof node !== 'object' || node === null) return false;
  if ('type' in node && node.type === 'CallExpression' && 'callee' in node) {
    const { callee } = node as { callee: { type: string; name?: string } };
    if (callee.type === 'Identifier' && callee.name === name) return true;
  }
  return Object.values(node).some((child) => calls(name, child));
};

it('finds the files and their imports', () => {
  expect(imports).toContainEqual({
    from: 'client/snapshot/write.ts',
    what: 'client/snapshot/project.ts',
    isTypeOnly: false,
  });
  expect(modules.filter(({ parsed }) => parsed.errors.length > 0)).toEqual([]);
});

it('lets nothing but the background write the snapshot', () => {
  const writers = [...importersOf('client/snapshot/write.ts')];
  expect(writers.length).toBeGreaterThan(0);
  expect(writers.filter(isOutside('client/background/'))).toEqual([]);
});

it('keeps the client free of the rest of the extension, so that others can use it', () => {
  const isForeign = (what: string): boolean =>
    what.startsWith('demo/') || (what.startsWith('..') && !what.startsWith('../contract/'));
  expect(importsOf('client/', isForeign)).toEqual([]);
});

it('keeps the SDK, and with it every call to a server, in the background', () => {
  const ofTheWorker = isOutside('client/background/', 'client/patches/', IN_A_TAB);
  expect([...importersOf('firebase')].filter(ofTheWorker)).toEqual([]);
  const fetching = modules.filter(({ parsed }) => calls('fetch', parsed.program)).map(({ file }) => file);
  expect(fetching.length).toBeGreaterThan(0);
  // The elements' catalogue is a file of the extension, and its reader refuses every other address.
  const reading = fetching.filter(isOutside('client/background/'));
  expect(reading).toEqual(['client/elements/read-catalog.ts']);
});

it('lets pages reach the background by messages only', () => {
  const reaching = [
    ...new Set(
      imports
        .filter(({ what, isTypeOnly }) => what.startsWith('client/background/') && !isTypeOnly)
        .map(({ from }) => from),
    ),
  ].filter(isOutside('client/background/'));
  expect(reaching.sort()).toEqual(['client/exports/background.ts', IN_A_TAB]);
  // Loaded after the first paint.
  expect([...importersOf(IN_A_TAB)]).toEqual(['client/web/create-web-billing.ts']);
  expect([...importersOf(`${PACKAGE}background`)]).toEqual(['demo/background.ts']);
});

it('uses billing in the demo as another extension would: through the exports of its package', () => {
  expect(importsOf('demo/', (what) => what.startsWith('client/'))).toEqual([]);
  const { exports } = JSON.parse(readFileSync(join(ROOTS.client, '../package.json'), 'utf8'));
  const doors = Object.keys(exports).map((door) => door.replace('./', PACKAGE));
  const used = new Set(imports.map(({ what }) => what).filter((what) => what.startsWith(PACKAGE)));
  expect(doors).toEqual(expect.arrayContaining([...used]));
  expect(used.size).toBeGreaterThan(3);
});

it('keeps React out of all but hooks and components', () => {
  const isReact = (what: string): boolean => /^react(-dom)?(\/|$)/.test(what);
  const isPackage = (what: string): boolean =>
    !/^(client|demo)\/|^\.\./.test(what) && !what.startsWith('@extension-billing/contract/');
  expect(importsOf('client/background/', isReact)).toEqual([]);
  expect(importsOf('client/patches/', isReact)).toEqual([]);
  expect(importsOf('client/snapshot/', isPackage)).toEqual([]);
});

it('has no circle of imports', () => {
  const onward = (file: string): string[] =>
    imports.filter(({ from, isTypeOnly }) => from === file && !isTypeOnly).map(({ what }) => what);
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' > '));
    else if (!done.has(file)) for (const next of onward(file)) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});

it('has no file that nothing reaches', () => {
  // The package's exports are for other extensions, whether or not the demo uses each.
  const doors = files.filter((file) => file.startsWith('client/exports/'));
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const { from, what } of imports) if (from === file) visit(what);
  };
  for (const entry of [
    ...doors,
    // The build of the package's background, which no extension has to do any more.
    'client/patches/small-firebase.ts',
    'demo/background.ts',
    ...PAGES.map((page) => `demo/${page}/${page}.tsx`),
  ])
    visit(entry);
  expect(files.filter((file) => !reached.has(file))).toEqual([]);
});
