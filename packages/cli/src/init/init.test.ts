import vm from 'node:vm';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  afterwards,
  extensionOf,
  type Files,
  fakeClient,
  fakeListing,
  planOf,
} from '../../test/fake-extension.ts';
import { detect } from './detect.ts';
import { Journal, planUndo, record, wroteLast } from './journal.ts';
import { makePlan, type Plan } from './plan.ts';
import { changedLines } from './show.ts';

const MANIFEST = { manifest_version: 3, name: 'x', version: '1' };
const json = (value: unknown): string => JSON.stringify(value, null, 2);

const WEBPACK = {
  'package.json': json({
    scripts: { build: 'webpack --config config/webpack.config.js' },
    devDependencies: { webpack: '^5' },
  }),
  'config/webpack.config.js':
    "'use strict';\nconst config = { entry: { background: PATHS.src + '/background.js' } };\nmodule.exports = config;\n",
  'src/background.js': "'use strict';\n\n// Mine.\nchrome.runtime.onMessage.addListener(() => {});\n",
  'public/manifest.json': json({
    ...MANIFEST,
    background: { service_worker: 'background.js' },
    permissions: ['storage'],
  }),
};
const CLASSIC = {
  'manifest.json': json({ ...MANIFEST, background: { service_worker: 'js/worker.js' } }),
  'js/worker.js': 'chrome.action.onClicked.addListener(() => {});\n',
};
const MODULE = {
  'manifest.json': json({ ...MANIFEST, background: { service_worker: 'js/worker.js', type: 'module' } }),
  'js/worker.js': "/* Copyright */\nimport './other.js';\n",
};
const NOTHING = { 'manifest.json': json(MANIFEST), 'popup.html': '<p>Hi</p>' };
const ALL = { WEBPACK, CLASSIC, MODULE, NOTHING };

describe.each(Object.entries(ALL))('an extension of the kind %s', (_, files) => {
  it('is planned once: the plan of a second run is empty', () => {
    const plan = planOf(files);
    expect(plan.writes.length).toBeGreaterThan(3);
    const done = afterwards(files, plan);
    expect(planOf(done).writes).toEqual([]);
    expect(planOf(done).kept).toEqual([]);
    expect(planOf(done).byHand).toEqual(plan.byHand);
  });

  it('has one more line in each script of its own, at most, and none fewer', () => {
    for (const { path, before, after } of planOf(files).writes) {
      if (before === null || path.endsWith('.json')) continue;
      expect(changedLines(before, after), path).toEqual([expect.stringMatching(/^ +\+ /)]);
    }
  });

  it('is as it was, byte by byte, after an undo', () => {
    const plan = planOf(files);
    const done = afterwards(files, plan);
    const undo = planUndo(record(null, '1', plan.writes), (path) => done[path] ?? null);
    if (!undo.ok) throw new Error(undo.edited.join());
    const left = { ...done, ...Object.fromEntries(undo.restore.map(({ path, text }) => [path, text])) };
    for (const path of undo.remove) delete left[path];
    expect(left).toEqual(files);
    expect(undo.kept).toEqual([]);
  });

  it('gets the permissions and the return pages into its manifest', () => {
    const done = afterwards(files, planOf(files));
    const manifest: unknown = JSON.parse(
      done[files === WEBPACK ? 'public/manifest.json' : 'manifest.json'] ?? '',
    );
    expect(manifest).toMatchObject({
      permissions: expect.arrayContaining(['storage', 'alarms']),
      externally_connectable: { matches: ['http://127.0.0.1:5056/*'] },
      options_ui: { page: 'billing/page.html' },
    });
  });
});

describe('the worker', () => {
  const workerOf = (files: Files, path: string): string | undefined => afterwards(files, planOf(files))[path];

  it('that is a module imports billing behind its first comment', () => {
    expect(workerOf(MODULE, 'js/worker.js')).toBe(
      "/* Copyright */\nimport '../billing/background.js';\nimport './other.js';\n",
    );
  });
  it('that is a classic script takes it by importScripts, whose file takes the package’s', () => {
    expect(workerOf(CLASSIC, 'js/worker.js')).toMatch(
      /^if \(typeof importScripts === 'function'\) importScripts\('\/billing\/background.js'\);\n/,
    );
    expect(workerOf(CLASSIC, 'billing/background.js')).toContain('/billing/client/background.classic.js');
    expect(workerOf(CLASSIC, 'billing/client/background.classic.js')).toBe(
      fakeClient.file('background.classic.js'),
    );
  });
  it('that runs in a document, too, imports nothing there and keeps its listeners', () => {
    const both = { service_worker: 'js/worker.js', scripts: ['js/worker.js'] };
    const files = { ...CLASSIC, 'manifest.json': json({ ...MANIFEST, background: both }) };
    expect(JSON.parse(workerOf(files, 'manifest.json') ?? '').background.scripts).toEqual([
      'js/worker.js',
      'billing/client/background.classic.js',
      'billing/background.js',
    ]);
    const script = new vm.Script(workerOf(files, 'js/worker.js') ?? '');
    let registered = 0;
    const addListener = () => registered++;
    script.runInNewContext({ chrome: { action: { onClicked: { addListener } } } });
    expect(registered).toBe(1);

    const module = { ...both, type: 'module' };
    const asModule = { ...CLASSIC, 'manifest.json': json({ ...MANIFEST, background: module }) };
    expect(JSON.parse(workerOf(asModule, 'manifest.json') ?? '').background.scripts).toEqual([
      'js/worker.js',
    ]);
  });
  it('that webpack builds keeps its directive the first statement', () => {
    expect(workerOf(WEBPACK, 'src/background.js')).toMatch(
      /^'use strict';\nimport '\.\/billing\/background\.js';\n\n\/\/ Mine/,
    );
  });
  it('is named in package.json if bundlers drop imports for their effects alone', () => {
    const own = { ...JSON.parse(WEBPACK['package.json']), sideEffects: false };
    const files = { ...WEBPACK, 'package.json': json(own) };
    expect(JSON.parse(workerOf(files, 'package.json') ?? '').sideEffects).toEqual([
      './src/billing/background.js',
    ]);
    expect(planOf(afterwards(files, planOf(files))).writes).toEqual([]);
  });
  it('that there is none of is made', () => {
    expect(JSON.parse(workerOf(NOTHING, 'manifest.json') ?? '')).toMatchObject({
      background: { service_worker: 'billing/background.js', type: 'module' },
    });
  });
  it('of a background without a service worker is listed behind its scripts', () => {
    const files = { 'manifest.json': json({ ...MANIFEST, background: { scripts: ['a.js'] } }), 'a.js': '' };
    expect(JSON.parse(workerOf(files, 'manifest.json') ?? '').background.scripts).toEqual([
      'a.js',
      'billing/client/background.classic.js',
      'billing/background.js',
    ]);
  });
});

describe('what cannot be told surely', () => {
  it('is said with the lines to add: a configuration that nobody can read', () => {
    const plan = planOf({ ...WEBPACK, 'config/webpack.config.js': 'make(config);\n' });
    expect(plan.byHand).toEqual([expect.objectContaining({ path: 'config/webpack.config.js' })]);
    expect(plan.byHand[0]?.lines.join()).toContain("require('../billing/webpack.cjs')");
  });
  it('is said for a worker whose source is one of several', () => {
    const { 'config/webpack.config.js': _, ...rest } = WEBPACK;
    const plan = planOf({ ...rest, 'webpack.config.js': 'module.exports = {};\n', 'lib/background.js': '' });
    expect(plan.byHand).toEqual([expect.objectContaining({ path: 'the source of background.js' })]);
  });
  it('edits the source of a worker that an unknown build wrote: the next one would write it again', () => {
    const files = {
      'manifest.json': json({ ...MANIFEST, background: { service_worker: 'dist/background.js' } }),
      'src/background.ts': '',
    };
    const listing = {
      ...fakeListing(files),
      text: (path: string) => (path === 'dist/background.js' ? 'go();' : ((files as Files)[path] ?? null)),
    };
    const found = detect(listing);
    const plan = found.ok ? makePlan(found.extension, fakeClient, wroteLast(null)) : null;
    expect(plan?.byHand).toEqual([]);
    const paths = plan?.writes.map(({ path }) => path);
    expect(paths).toContain('src/background.ts');
    expect(paths).not.toContain('dist/background.js');
  });
  it('is said, with the script that runs webpack, if there is no configuration to wrap', () => {
    const files = {
      ...WEBPACK,
      'package.json': json({ scripts: { build: 'node build.mjs' }, devDependencies: { webpack: '^5' } }),
      'config/webpack.config.js': '',
      'build.mjs': "import webpack from 'webpack';\nwebpack({ entry: {} }, () => {});\n",
    };
    expect(planOf(files).byHand).toContainEqual({
      path: 'build.mjs',
      why: expect.stringContaining('wrap the configuration'),
      lines: [
        expect.stringContaining("import withBilling from './billing/webpack.cjs'"),
        'webpack(withBilling(yourConfiguration), …)',
      ],
    });
  });
  it('wraps one of several configurations that are merged', () => {
    const files = {
      ...WEBPACK,
      'package.json': json({
        scripts: { watch: 'webpack --config ./webpack.watch.js' },
        devDependencies: { webpack: '^5' },
      }),
      'webpack.config.js': 'module.exports = {};\n',
      'webpack.dev.js': "module.exports = merge(require('./webpack.config.js'), {});\n",
      'webpack.watch.js': 'module.exports = merge(require("./webpack.dev.js"), {});\n',
    };
    const edited = planOf(files).writes.filter(({ path, before }) => before !== null && path.endsWith('.js'));
    expect(edited.map(({ path }) => path)).toEqual(['src/background.js', 'webpack.config.js']);
  });
  it('takes no worker of an extension that tests load beside this one', () => {
    const files = {
      'package.json': json({ devDependencies: { esbuild: '^0.28' } }),
      'chrome/manifest.json': json({ ...MANIFEST, background: { service_worker: './dist/background.js' } }),
      'src/background.ts': '',
      'test/helper/manifest.json': json(MANIFEST),
      'test/helper/background.js': '',
    };
    expect(planOf(files).writes.map(({ path }) => path)).toContain('src/background.ts');
  });
  it('is said if manifests have other names, and --manifest takes one of them', () => {
    const worker = { background: { service_worker: 'dist/background.js' } };
    const files = {
      'manifests/manifest-chrome.json': json({ ...MANIFEST, ...worker }),
      'manifests/manifest-pwa.json': json({ name: 'x' }),
      'src/manifest.ts': `export default {\n  manifest_version: 3,\n  background: { service_worker: 'background.js' },\n};\n`,
      'src/background.ts': '',
    };
    expect(detect(fakeListing(files))).toEqual({
      ok: false,
      why: expect.stringMatching(/manifests\/manifest-chrome\.json\n {2}src\/manifest\.ts\n.*--manifest/s),
    });
    const by = (named: string): Plan | null => {
      const found = detect(fakeListing(files), named);
      return found.ok ? makePlan(found.extension, fakeClient, wroteLast(null)) : null;
    };
    const paths = (plan: Plan | null): readonly string[] => plan?.writes.map(({ path }) => path) ?? [];
    expect(paths(by('manifests/manifest-chrome.json'))).toEqual(
      expect.arrayContaining(['manifests/manifest-chrome.json', 'src/background.ts']),
    );
    expect(by('src/manifest.ts')?.writes.find(({ path }) => path === 'src/manifest.ts')?.after).toContain(
      "permissions: ['storage', 'alarms'],",
    );
    expect(detect(fakeListing(files), 'manifests/manifest-pwa.json').ok).toBe(false);
  });
  it('leaves a manifest that is a template to its owner, and does the rest', () => {
    const files = {
      'src/manifest.json.mustache':
        '{ "manifest_version": 3, {{#x}}"a": 1{{/x}} "background": { "service_worker": "background.bundle.js" } }',
      'src/background/index.ts': '',
    };
    const found = detect(fakeListing(files), 'src/manifest.json.mustache');
    const plan = found.ok ? makePlan(found.extension, fakeClient, wroteLast(null)) : null;
    expect(plan?.byHand.map(({ lines }) => lines.join())).toEqual(
      expect.arrayContaining([expect.stringContaining('"permissions": ["storage", "alarms"]')]),
    );
    expect(plan?.writes.map(({ path }) => path)).toContain('src/background/index.ts');
  });
  it('is said where a tool that is not known builds', () => {
    const files = { ...MODULE, 'package.json': json({ devDependencies: { parcel: '^2' } }) };
    expect(planOf(files).byHand).toEqual([expect.objectContaining({ path: 'your build (parcel)' })]);
  });
  it.each([
    ['no manifest', { 'index.html': '' }, /no manifest/],
    ['a manifest of version 2', { 'manifest.json': '{ "manifest_version": 2 }' }, /needs version 3/],
    [
      'a package.json that is none',
      { 'package.json': '{', 'manifest.json': json(MANIFEST) },
      /package\.json/,
    ],
  ])('is refused: %s', (_, files, why) => {
    expect(detect(fakeListing(files))).toEqual({ ok: false, why: expect.stringMatching(why) });
  });
});

describe('a webpack configuration', () => {
  const { 'config/webpack.config.js': _, ...rest } = WEBPACK;
  const of = (name: string, text: string, more: Files = {}): Plan =>
    planOf({ ...rest, 'package.json': json({ devDependencies: { webpack: '^5' } }), [name]: text, ...more });
  const pathsOf = (plan: Plan): readonly string[] => plan.writes.map(({ path }) => path);

  it('that is an ES module and exports a name is changed in that line', () => {
    const plan = of('webpack.config.mjs', 'const config = {};\nexport default config;\n');
    const after = plan.writes.find(({ path }) => path === 'webpack.config.mjs')?.after;
    expect(after).toBe(
      "const config = {};\nexport default (await import('./billing/webpack.cjs')).default(config);\n",
    );
  });
  it.each([
    ["{ from: 'public' }"],
    ["{ from: './public/' }"],
    ["{ from: '**/*', context: 'public' }"],
    ["{ from: path.resolve(__dirname, 'public'), to: '.' }"],
  ])('that nobody can edit, and copies the folder whole by %s, gets the page in there', (pattern) => {
    const text = `export default { plugins: [new CopyPlugin({ patterns: [${pattern}] })] };\n`;
    const plan = of('webpack.config.ts', text);
    expect(plan.byHand).toEqual([]);
    expect(pathsOf(plan)).toEqual(
      expect.arrayContaining(['public/billing/page.html', 'public/billing/client/elements.js']),
    );
    expect(pathsOf(plan)).not.toContain('billing/webpack.cjs');
  });
  it.each([["{ from: 'public/manifest.json' }"], ["{ from: 'assets', to: 'public' }"]])(
    'that copies something else, %s, is left to its owner',
    (pattern) => {
      const text = `export default { plugins: [new CopyPlugin({ patterns: [${pattern}] })] };\n`;
      expect(of('webpack.config.ts', text).byHand).toEqual([
        expect.objectContaining({ path: 'webpack.config.ts' }),
      ]);
    },
  );
});

describe('the package manager', () => {
  it.each([
    ['npm', {}, null],
    ['pnpm', { 'pnpm-lock.yaml': '' }, null],
    [
      'yarn',
      { 'package.json': json({ packageManager: 'yarn@4.1.0', devDependencies: { webpack: '^5' } }) },
      null,
    ],
    ['bun', {}, '../../bun.lock'],
    ['pnpm', { 'pnpm-lock.yaml': '' }, '../package-lock.json'],
  ])('is %s by %j, and above by %j', (name, more, lockAbove) => {
    const found = detect({ ...fakeListing({ ...WEBPACK, ...more }), lockAbove });
    expect(found.ok && found.extension.uses.packageManager).toBe(name);
  });
});

describe('what is sold', () => {
  it('has a catalogue that Node takes for a module, whatever package.json says, and no TypeScript build takes', () => {
    const paths = Object.values(ALL).map((files) => Object.keys(afterwards(files, planOf(files))));
    expect(paths.every((names) => names.includes('billing.config.mjs'))).toBe(true);
  });
});

describe('a manifest', () => {
  const editedManifest = (text: string): string =>
    afterwards({ 'manifest.json': text }, planOf({ 'manifest.json': text }))['manifest.json'] ?? '';

  it('keeps its indentation, its comments, its line ends and its mark', () => {
    const text = '\uFEFF{\r\n\t// mine\r\n\t"manifest_version": 3,\r\n\t"permissions": ["tabs"]\r\n}\r\n';
    const after = editedManifest(text);
    expect(after).toMatch(
      /^\uFEFF\{\r\n\t\/\/ mine\r\n\t"manifest_version": 3,\r\n\t"permissions": \["tabs", "storage", "alarms"\],\r\n/,
    );
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });
  it('that says who may connect keeps to that', () => {
    const connectable = { ids: ['a'], matches: ['https://a.test/*'] };
    expect(
      JSON.parse(editedManifest(json({ ...MANIFEST, externally_connectable: connectable })))
        .externally_connectable,
    ).toEqual({
      ids: ['a'],
      matches: ['https://a.test/*', 'http://127.0.0.1:5056/*'],
    });
  });
  it('that says nothing lets other extensions connect as before', () => {
    expect(JSON.parse(editedManifest(json(MANIFEST))).externally_connectable.ids).toEqual(['*']);
  });
  it.each([
    [
      "default-src 'self'",
      /^default-src 'self'; connect-src 'self' http:\/\/127\.0\.0\.1:5001 .*:9099 .*:8080$/,
    ],
    ["connect-src 'none'; script-src 'self'", /^script-src 'self'; connect-src http:\/\/127\.0\.0\.1:5001 /],
    ["script-src 'self'", /^script-src 'self'$/],
    ["connect-src *; script-src 'self'", /^connect-src \*; script-src 'self'$/],
  ])('whose policy is %s lets the service through', (extension_pages, expected) => {
    const manifest = json({ ...MANIFEST, content_security_policy: { extension_pages } });
    expect(JSON.parse(editedManifest(manifest)).content_security_policy.extension_pages).toMatch(expected);
  });
  it('with an options page of its own keeps it, and the owner is told the link to billing’s', () => {
    const files = {
      'manifest.json': json({ ...MANIFEST, options_page: 'options.html' }),
      'options.html': '',
    };
    const plan = planOf(files);
    expect(plan.byHand).toEqual([expect.objectContaining({ path: 'options.html' })]);
    expect(afterwards(files, plan)['manifest.json']).not.toContain('options_ui');
  });
});

describe('an undo', () => {
  const plan = planOf(CLASSIC);
  const journal = record(null, '1', plan.writes);
  const done: Files = afterwards(CLASSIC, plan);
  const undoAfter = (more: Files) => planUndo(journal, (path) => ({ ...done, ...more })[path] ?? null);

  it('refuses, by name, where a file of the owner’s was edited since, and takes nothing back', () => {
    expect(undoAfter({ 'js/worker.js': `${done['js/worker.js']}// more\n` })).toEqual({
      ok: false,
      edited: ['js/worker.js'],
    });
  });
  it('leaves a new file that was edited since, and says which', () => {
    expect(undoAfter({ 'billing.config.mjs': 'mine' })).toMatchObject({
      ok: true,
      kept: ['billing.config.mjs'],
    });
  });
  it('takes back what was there before the first of several runs', () => {
    const before = done['js/worker.js'] ?? null;
    const again = record(journal, '2', [{ path: 'js/worker.js', before, after: 'latest' }]);
    const undo = planUndo(again, (path) => ({ ...done, 'js/worker.js': 'latest' })[path] ?? null);
    expect(undo).toMatchObject({
      ok: true,
      restore: expect.arrayContaining([{ path: 'js/worker.js', text: CLASSIC['js/worker.js'] }]),
    });
  });
  it('refuses, by name, where the owner edited a file between two runs that both wrote into it', () => {
    const again = record(journal, '2', [
      { path: 'js/worker.js', before: 'mine', after: 'mine, and billing' },
    ]);
    expect(
      planUndo(again, (path) => ({ ...done, 'js/worker.js': 'mine, and billing' })[path] ?? null),
    ).toEqual({
      ok: false,
      edited: ['js/worker.js'],
    });
  });
  it('takes a file back to what it was before a second run, where the owner had taken the first back', () => {
    const before = CLASSIC['js/worker.js'];
    const again = record(journal, '2', [{ path: 'js/worker.js', before, after: 'latest' }]);
    expect(planUndo(again, (path) => ({ ...done, 'js/worker.js': 'latest' })[path] ?? null)).toMatchObject({
      ok: true,
    });
  });
});

it('a newer package takes the place of its copies, unless somebody edited them', () => {
  const plan = planOf(MODULE);
  const journal = record(null, '1', plan.writes);
  const done = afterwards(MODULE, plan);
  const newer = { ...fakeClient, file: (name: string) => `newer ${name}` };
  const again = makePlan(
    extensionOf({ ...done, 'billing/client/LICENSE': 'mine' }),
    newer,
    wroteLast(journal),
  );
  expect(again.writes.map(({ path }) => path).toSorted()).toEqual([
    'billing/client/background.js',
    'billing/client/elements.js',
    'billing/client/licenses/background.md',
    'billing/client/licenses/elements.md',
  ]);
  expect(again.kept).toEqual(['billing/client/LICENSE']);
});

it('takes a journal that names what is in the folder, or a lock file above, and no other', () => {
  const isTaken = (path: string): boolean =>
    v.is(Journal, { version: 1, client: '1', files: [{ path, before: null, after: '' }] });
  const inside = ['js/worker.js', 'a..b/c', '.extension-billing/x', '../../pnpm-lock.yaml'];
  expect(inside.filter((path) => !isTaken(path))).toEqual([]);
  const outside = ['../x', 'a/../../x', '/etc/x', 'C:/x', 'a\\..\\x', '..', 'a//b', '../x/yarn.lock', ''];
  expect(outside.filter(isTaken)).toEqual([]);
});

describe('the package manager', () => {
  const SPEC = '@extension-billing/client@file:.extension-billing/extension-billing-client-1.0.0.tgz';
  it.each([
    ['npm', {}, {}, ['npm', 'install', '--no-audit', '--no-fund', SPEC]],
    ['pnpm', { devEngines: { packageManager: { name: 'pnpm' } } }, {}, ['pnpm', 'add', SPEC]],
    ['pnpm', {}, { 'pnpm-lock.yaml': '', 'pnpm-workspace.yaml': '' }, ['pnpm', 'add', '-w', SPEC]],
    ['yarn', { workspaces: ['a'] }, { 'yarn.lock': '' }, ['yarn', 'add', '-W', SPEC]],
    ['yarn', { workspaces: ['a'], packageManager: 'yarn@4.1.0' }, {}, ['yarn', 'add', SPEC]],
    ['bun', { packageManager: 'bun@1.2.1' }, { 'package-lock.json': '' }, ['bun', 'add', SPEC]],
  ])('of the project is %s by %j and %j, and says how to build', (manager, fields, files, command) => {
    const own = { scripts: { build: 'webpack' }, devDependencies: { webpack: '^5' }, ...fields };
    const plan = planOf({ ...WEBPACK, ...files, 'package.json': json(own) });
    expect(plan.install?.command).toEqual(command);
    expect(plan.next.build).toBe(`${manager} run build`);
  });
});
