import { describe, expect, it } from 'vitest';
import { afterwards, extensionOf, type Files, planOf } from '../../../test/fake-extension.ts';
import { planUndo, record } from '../journal.ts';
import { changedLines } from '../show.ts';

const json = (value: unknown): string => JSON.stringify(value, null, 2);
const packageJson = (dependencies: object, more: object = {}): string =>
  json({ scripts: { build: 'the tool' }, dependencies, ...more });
const MANIFEST = { manifest_version: 3, name: 'x', version: '1', action: { default_popup: 'index.html' } };
const OWN_WORKER = '// Mine.\nchrome.action.onClicked.addListener(() => {});\n';
const CRX = "import manifest from './manifest.config'\nexport default { plugins: [crx({ manifest })] }\n";

const VITE = {
  'package.json': packageJson({ vite: '^8' }),
  'index.html': '',
  'public/manifest.json': json(MANIFEST),
};
const VITE_WITH_WORKER = {
  'package.json': packageJson({ vite: '^8' }),
  'public/manifest.json': json({ ...MANIFEST, background: { service_worker: 'background.js' } }),
  'src/background.ts': OWN_WORKER,
  'vite.config.ts':
    "export default { build: { rollupOptions: { input: { background: 'src/background.ts' } } } };\n",
};
const CRXJS_JSON = {
  'package.json': packageJson({ '@crxjs/vite-plugin': '^3', vite: '^8' }),
  'manifest.json': json({ ...MANIFEST, background: { service_worker: 'src/background.ts', type: 'module' } }),
  'src/background.ts': OWN_WORKER,
  'vite.config.ts': CRX.replace('manifest.config', 'manifest.json'),
};
const CRXJS_MODULE = {
  'package.json': packageJson({ '@crxjs/vite-plugin': '^3', vite: '^8' }),
  'manifest.config.ts': `export default defineManifest({\n  manifest_version: 3,\n  permissions: ['tabs'],\n});\n`,
  'vite.config.ts': CRX,
};
const WXT = {
  'package.json': packageJson({ wxt: '^0.21' }),
  'wxt.config.ts': "export default defineConfig({ srcDir: 'src' });\n",
  'src/entrypoints/background.ts': 'export default defineBackground(() => {});\n',
};
const PLASMO = {
  'package.json': packageJson({ plasmo: '0.90.5', react: '18' }, { manifest: { permissions: ['tabs'] } }),
  'popup.tsx': '',
  'background.ts': OWN_WORKER,
};
const ALL = { VITE, VITE_WITH_WORKER, CRXJS_JSON, CRXJS_MODULE, WXT, PLASMO } satisfies Record<string, Files>;

const done = (files: Files): Files => afterwards(files, planOf(files));

describe.each(Object.entries<Files>(ALL))('an extension of the kind %s', (_, files) => {
  it('is planned whole, with nothing left to its owner', () => {
    expect(planOf(files).byHand).toEqual([]);
    expect(planOf(files).writes.length).toBeGreaterThan(4);
  });

  it('is planned once: the plan of a second run is empty', () => {
    expect(planOf(done(files)).writes).toEqual([]);
    expect(planOf(done(files)).kept).toEqual([]);
    expect(planOf(done(files)).byHand).toEqual([]);
  });

  it('has one more line in each script of its own, at most, and none fewer', () => {
    for (const { path, before, after } of planOf(files).writes) {
      if (before === null || /manifest|package\.json/.test(path)) continue;
      expect(changedLines(before, after), path).toEqual([expect.stringMatching(/^ +\+ /)]);
    }
  });

  it('is as it was, byte by byte, after an undo', () => {
    const plan = planOf(files);
    const after = done(files);
    const undo = planUndo(record(null, '1', plan.writes), (path) => after[path] ?? null);
    if (!undo.ok) throw new Error(undo.edited.join());
    const left = { ...after, ...Object.fromEntries(undo.restore.map(({ path, text }) => [path, text])) };
    for (const path of undo.remove) delete left[path];
    expect(left).toEqual(files);
  });
});

describe('vite', () => {
  it('builds nothing of billing where the manifest has no worker: all lies in the public folder', () => {
    const plan = planOf(VITE);
    expect(plan.install).toBeNull();
    const manifest: unknown = JSON.parse(done(VITE)['public/manifest.json'] ?? '');
    expect(manifest).toMatchObject({
      background: { service_worker: 'billing/background.js' },
      options_ui: { page: 'billing/page.html' },
    });
    expect(Object.keys(done(VITE))).toContain('public/billing/client/background.js');
  });
  it('builds the worker that it builds already, with one import', () => {
    expect(planOf(VITE_WITH_WORKER).install?.command).toContain(
      '@extension-billing/client@file:.extension-billing/extension-billing-client-1.0.0.tgz',
    );
    expect(done(VITE_WITH_WORKER)['src/background.ts']).toBe(
      `// Mine.\nimport './billing/background';\n${OWN_WORKER.slice('// Mine.\n'.length)}`,
    );
    expect(Object.keys(done(VITE_WITH_WORKER))).not.toContain('public/billing/client/background.js');
  });
  it('leaves a worker whose source nobody can tell to its owner', () => {
    const { 'src/background.ts': _, ...files } = VITE_WITH_WORKER;
    expect(planOf({ ...files, 'a/background.ts': '', 'b/background.ts': '' }).byHand).toEqual([
      expect.objectContaining({ path: 'the source of background.js' }),
    ]);
  });
  it('takes the public folder by the manifest in it, wherever its configuration says that it is', () => {
    const files = {
      'package.json': packageJson({ vite: '^8' }),
      'app/public/manifest.json': json(MANIFEST),
      'vite.config.ts': "export default { root: 'app/src', publicDir: resolve(__dirname, 'app/public') };\n",
    };
    expect(Object.keys(done(files))).toContain('app/public/billing/page.html');
    expect(planOf(files).byHand).toEqual([]);
  });
  it('loads the folder that its configuration names', () => {
    const config = "export default { build: { outDir: 'extension' } };\n";
    expect(planOf({ ...VITE, 'vite.config.ts': config }).next.load).toBe('extension');
    expect(planOf(VITE).next).toEqual({ build: 'npm run build', load: 'dist' });
  });
});

describe('CRXJS', () => {
  const moduleAfter = (manifest: string): string | undefined =>
    done({ ...CRXJS_MODULE, 'manifest.config.ts': manifest })['manifest.config.ts'];

  it('takes what it builds from the manifest, page and worker', () => {
    expect(done(CRXJS_MODULE)['manifest.config.ts']).toBe(`export default defineManifest({
  manifest_version: 3,
  options_ui: { page: 'billing/page.html', open_in_tab: true },
  background: { service_worker: 'billing/background.ts', type: 'module' },
  externally_connectable: { ids: ['*'], matches: ['http://127.0.0.1:5056/*'] },
  permissions: ['tabs', 'storage', 'alarms'],
});
`);
  });
  it('keeps the words of a manifest that is written as JSON in a module', () => {
    const text = `// "permissions": no\nexport default defineManifest(${json({ ...MANIFEST, permissions: [] })})\n`;
    const after = moduleAfter(text) ?? '';
    const value: unknown = new Function('defineManifest', after.replace('export default', 'return'))(
      (manifest: unknown) => manifest,
    );
    expect(value).toMatchObject({
      ...MANIFEST,
      permissions: ['storage', 'alarms'],
      background: { service_worker: 'billing/background.ts' },
      externally_connectable: { matches: ['http://127.0.0.1:5056/*'] },
    });
    expect(after).toContain('"options_ui": {');
  });
  it('keeps every comment where it is, and writes into none', () => {
    const text = `export default {
  manifest_version: 3, // the newest
  permissions: [
    'tabs', // to find them
  ],
};
`;
    expect(moduleAfter(text)).toBe(`export default {
  manifest_version: 3, // the newest
  options_ui: { page: 'billing/page.html', open_in_tab: true },
  background: { service_worker: 'billing/background.ts', type: 'module' },
  externally_connectable: { ids: ['*'], matches: ['http://127.0.0.1:5056/*'] },
  permissions: [
    'tabs', 'storage', 'alarms' // to find them
  ],
};
`);
  });
  it.each([
    ['two objects', 'export const a = { manifest_version: 3 };\nexport const b = { manifest_version: 3 };\n'],
    [
      'a computed worker',
      'export default { manifest_version: 3, background: { service_worker: WORKER } };\n',
    ],
    ['computed permissions', 'export default {\n  manifest_version: 3,\n  permissions: [...own],\n};\n'],
  ])('leaves to its owner a manifest with %s', (_, text) => {
    const plan = planOf({ ...CRXJS_MODULE, 'manifest.config.ts': text });
    const lines = plan.byHand.flatMap((hand) => hand.lines).join('\n');
    expect(lines).toContain("permissions: ['storage', 'alarms'],");
    expect(plan.byHand.every(({ path }) => path === 'manifest.config.ts')).toBe(true);
  });
  it('puts billing’s page into the public folder where the options page is the owner’s', () => {
    const manifest = json({ ...MANIFEST, options_page: 'options.html' });
    const files = { ...CRXJS_JSON, 'manifest.json': manifest, 'options.html': '' };
    expect(planOf(files).byHand).toEqual([expect.objectContaining({ path: 'options.html' })]);
    expect(Object.keys(done(files))).toContain('public/billing/page.html');
    expect(done(files)['manifest.json']).not.toContain('options_ui');
  });
});

describe('CRXJS with a worker that only the configuration names', () => {
  it('imports billing in it, and names no worker in the manifest', () => {
    const files = {
      'package.json': JSON.stringify({
        scripts: { build: 'vite build --config vite.config.chrome.ts' },
        devDependencies: { '@crxjs/vite-plugin': '2', vite: '6' },
      }),
      'manifest.json': '{ "manifest_version": 3 }',
      'vite.config.chrome.ts':
        "import { resolve } from 'path';\nconst outDir = resolve(__dirname, 'dist_chrome');\ncrx({ manifest: { ...base, background: { service_worker: 'src/background.ts' } } });\n",
      'src/background.ts': '// Mine.\n',
    };
    expect(done(files)['src/background.ts']).toMatch(/^import '\.\/billing\/background';|^\/\/ Mine/);
    expect(done(files)['src/background.ts']).toContain('./billing/background');
    expect(JSON.parse(done(files)['manifest.json'] ?? '')).not.toHaveProperty('background');
  });
});

describe('wxt', () => {
  it('imports billing in the background, where its source is', () => {
    expect(done(WXT)['src/entrypoints/background.ts']).toMatch(/^import '\.\.\/billing\/background';\n/);
    expect(Object.keys(done(WXT))).toEqual(
      expect.arrayContaining([
        'src/billing/background.ts',
        'src/entrypoints/billing/index.html',
        'modules/extension-billing.ts',
      ]),
    );
    expect(done(WXT)['src/entrypoints/billing/page.ts']).toContain("from '../../../billing.config'");
  });
  it('leaves files whose folder is computed, and writes none into a folder that wxt never reads', () => {
    const config = "export default defineConfig({ srcDir: 'src', entrypointsDir: process.env.ENTRIES });\n";
    const plan = planOf({ ...WXT, 'wxt.config.ts': config });
    expect(plan.writes.map(({ path }) => path)).toEqual(['billing.config.ts']);
    expect(plan.byHand.map(({ path }) => path)).toContain('src/entrypoints/billing/index.html');
    expect(plan.byHand.every(({ why }) => why.includes('computes entrypointsDir'))).toBe(true);
  });
  it('makes a background where there is none', () => {
    const files = { 'package.json': packageJson({ wxt: '^0.21' }), 'entrypoints/popup.html': '' };
    expect(done(files)['entrypoints/background.ts']).toMatch(/^import '\.\.\/billing\/background';\n/);
    expect(planOf(done(files)).writes).toEqual([]);
  });
  it('imports what it uses where wxt does not', () => {
    const config = 'export default defineConfig({ imports: false });\n';
    const files = { 'package.json': packageJson({ wxt: '^0.21' }), 'wxt.config.ts': config };
    expect(done(files)['entrypoints/background.ts']).toMatch(
      /^import \{ defineBackground \} from '#imports';/,
    );
    expect(planOf(done(files)).writes).toEqual([]);
  });
  it('keeps an options page of the owner’s, and says the link to billing’s', () => {
    const files = { ...WXT, 'src/entrypoints/options/index.html': '' };
    expect(planOf(files).byHand).toEqual([
      expect.objectContaining({
        path: 'src/entrypoints/options/index.html',
        lines: ['<a href="/billing.html" target="_blank">Billing</a>'],
      }),
    ]);
  });
});

describe('Plasmo', () => {
  it('has the manifest’s part in package.json', () => {
    expect(JSON.parse(done(PLASMO)['package.json'] ?? '').manifest).toMatchObject({
      permissions: ['tabs', 'storage', 'alarms'],
      externally_connectable: { matches: ['http://127.0.0.1:5056/*'] },
    });
  });
  it.each([
    ['vue', 'options.vue'],
    ['svelte', 'options.svelte'],
    ['react', 'options.tsx'],
  ])('has a page of %s', (ui, page) => {
    const files = { 'package.json': packageJson({ plasmo: '0.90.5', [ui]: '1' }), 'src/popup.tsx': '' };
    expect(done(files)[`src/${page}`]).toContain("import './billing/page'");
  });
  it('has a tab page where the options page is the owner’s', () => {
    const files = { ...PLASMO, 'options.tsx': 'export default () => null;\n' };
    expect(planOf(files).byHand).toEqual([
      expect.objectContaining({
        path: 'options.tsx',
        lines: ['<a href="/tabs/billing.html" target="_blank">Billing</a>'],
      }),
    ]);
    expect(Object.keys(done(files))).toContain('tabs/billing.tsx');
  });
});

it('knows each tool by its package, before what it is made of', () => {
  expect(Object.values(ALL).map((files) => extensionOf(files).kind)).toEqual([
    ...['vite', 'vite', 'crxjs', 'crxjs', 'wxt', 'plasmo'],
  ]);
});
