import { join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { parseJson } from '../edits/json.ts';
import { linkByHand, manifestChanges } from '../edits/manifest.ts';
import { installChanges } from '../edits/package.ts';
import { type Extension, type Listing, type Manifest, packagesOf } from '../extension.ts';
import { pageScriptWithElements } from '../templates/page.ts';
import { emptyComponent, type PlasmoUi } from '../templates/plasmo.ts';
import { CONFIG, configFile, importName, lineInWorker, pageStyles, workerFile } from './bundled.ts';

/**
 * Plasmo makes the manifest of package.json and of what files are called: billing's page is the options page, or a tab
 * page where there is one already.
 */
export const plasmo: Adapter = {
  kind: 'plasmo',
  makesManifest: true,
  recognises: (_, packageJson) => Object.hasOwn(packagesOf(packageJson), 'plasmo'),
  changes: (extension, client) => {
    const { listing } = extension;
    const source = listing.paths.some((path) => path.startsWith('src/')) ? 'src' : '.';
    const script = join(source, 'billing/page.ts');
    const ui = uiOf(extension);
    const own = ownOptions(listing, source);
    const component = join(source, own === undefined ? `options.${END[ui]}` : `tabs/billing.${END[ui]}`);
    const page = own === undefined ? 'options.html' : 'tabs/billing.html';
    return [
      ...installChanges(extension, client),
      ...manifestChanges(
        {
          path: 'package.json',
          form: 'json',
          under: ['manifest'],
          value: { ...manifestOf(listing), options_ui: { page } },
        },
        page,
      ),
      ...workerChanges(listing, source),
      configFile(),
      {
        kind: 'create',
        path: component,
        text: emptyComponent(ui, importName(component, script)),
        why: 'sign-in, plans, packs, balance',
      },
      {
        kind: 'create',
        path: script,
        text: pageScriptWithElements(importName(script, CONFIG), 'page.css'),
        why: 'what the page shows',
      },
      pageStyles(join(source, 'billing')),
      ...(own === undefined ? [] : [linkByHand(own, page)]),
    ];
  },
  next: ({ packageJson }) => ({
    build: packageJson?.scripts?.build === undefined ? 'plasmo build' : 'build',
    load: 'build/chrome-mv3-prod',
  }),
};

/** Without a framework, too, Plasmo takes a page's script by this ending. */
const END = { react: 'tsx', vue: 'vue', svelte: 'svelte', vanilla: 'tsx' } as const satisfies Record<
  PlasmoUi,
  string
>;

/** As Plasmo chooses: the first of these that package.json depends on. */
function uiOf({ packageJson }: Extension): PlasmoUi {
  const dependencies = packageJson?.dependencies ?? {};
  return (['react', 'svelte', 'vue'] as const).find((name) => Object.hasOwn(dependencies, name)) ?? 'vanilla';
}

function manifestOf(listing: Listing): Manifest {
  const { manifest } = (parseJson(listing.text('package.json') ?? '{}') ?? {}) as { manifest?: Manifest };
  return manifest ?? {};
}

/** The owner's options page, unless it is billing's. */
function ownOptions({ paths, text }: Listing, source: string): string | undefined {
  return paths.find((path) => {
    const name = source === '.' ? path : path.slice(source.length + 1);
    const isOptions = /^options(?:\/index)?\.(?:[jt]sx|vue|svelte)$/.test(name) && path.endsWith(name);
    return isOptions && !/billing\/page/.test(text(path) ?? '');
  });
}

function workerChanges(listing: Listing, source: string): readonly Change[] {
  const file = join(source, 'billing/background.ts');
  const own = ['background.ts', 'background.js', 'background/index.ts', 'background/index.js']
    .map((name) => join(source, name))
    .find((path) => listing.paths.includes(path));
  const made = join(source, 'background.ts');
  const worker: Change =
    own === undefined
      ? {
          kind: 'create',
          path: made,
          text: `import '${importName(made, file)}';\n`,
          why: 'the worker that billing runs in',
        }
      : lineInWorker(own, file);
  return [worker, workerFile(file)];
}
