import { join } from 'node:path/posix';
import type { Adapter, Change } from '../change.ts';
import { linkByHand } from '../edits/manifest.ts';
import { installChanges } from '../edits/package.ts';
import { type Listing, packagesOf } from '../extension.ts';
import { SERVICE_ORIGINS } from '../templates/addresses.ts';
import { wxtBackground, wxtModule } from '../templates/wxt.ts';
import {
  bundledPage,
  configFile,
  importName,
  lineInWorker,
  literalOf,
  settingOf,
  workerFile,
} from './bundled.ts';

const PAGE = 'billing.html';
const MODULE = 'modules/extension-billing.ts';

/**
 * wxt makes the manifest: a module of the project tells it what billing needs, so that wxt.config.ts stays as it is,
 * whatever it looks like. Billing's page is an entrypoint among the others.
 */
export const wxt: Adapter = {
  kind: 'wxt',
  makesManifest: true,
  recognises: (_, packageJson) => Object.hasOwn(packagesOf(packageJson), 'wxt'),
  changes: (extension, client) => {
    const { listing } = extension;
    const config = configText(listing);
    const source = literalOf(config, 'srcDir') ?? '.';
    const entrypoints = join(source, literalOf(config, 'entrypointsDir') ?? 'entrypoints');
    const modules = literalOf(config, 'modulesDir');
    const changes: readonly Change[] = [
      ...workerChanges(extension.listing, config, source, entrypoints),
      {
        kind: 'create',
        path: modules === null ? MODULE : join(modules, 'extension-billing.ts'),
        text: wxtModule(PAGE),
        why: 'permissions, the return pages and billing’s page in the manifest that wxt makes',
      },
      ...bundledPage(join(entrypoints, 'billing'), 'index.html'),
      ...optionsByHand(listing, entrypoints),
    ];
    const computed = ['srcDir', 'entrypointsDir', 'modulesDir'].filter(
      (key) => settingOf(config, key) === 'computed',
    );
    return [
      ...installChanges(extension, client),
      configFile(),
      ...(computed.length === 0 ? changes : changes.map((change) => byHand(change, computed))),
      ...policyByHand(config),
    ];
  },
  next: ({ packageJson, listing }) => ({
    build: packageJson?.scripts?.build === undefined ? 'wxt build' : 'build',
    load: join(literalOf(configText(listing), 'outDir') ?? '.output', 'chrome-mv3'),
  }),
};

/** A folder that only running the configuration tells: every file in one is left to the owner, with its text. */
function byHand(change: Change, computed: readonly string[]): Change {
  if (change.kind !== 'create' && change.kind !== 'edit') return change;
  return {
    kind: 'by-hand',
    path: change.path,
    lines: change.kind === 'create' ? change.text.trimEnd().split('\n') : change.lines,
    why: `${change.why}. wxt.config computes ${computed.join(', ')}: put it into that folder, and mend its relative imports`,
  };
}

const CONFIGS = ['ts', 'mts', 'js', 'mjs'].map((end) => `wxt.config.${end}`);
const configText = (listing: Listing): string =>
  CONFIGS.map((path) => listing.text(path)).find(Boolean) ?? '';

function workerChanges(
  listing: Listing,
  config: string,
  source: string,
  entrypoints: string,
): readonly Change[] {
  const file = join(source, 'billing/background.ts');
  const own = ['ts', 'js', 'tsx', 'jsx']
    .flatMap((end) => [`background.${end}`, `background/index.${end}`])
    .map((name) => join(entrypoints, name))
    .find((path) => listing.paths.includes(path));
  const made = join(entrypoints, 'background.ts');
  const worker: Change =
    own === undefined
      ? {
          kind: 'create',
          path: made,
          text: wxtBackground(importName(made, file), !/\bimports\s*:\s*false\b/.test(config)),
          why: 'the worker that billing runs in',
        }
      : lineInWorker(own, file);
  return [worker, workerFile(file)];
}

function optionsByHand({ paths }: Listing, entrypoints: string): readonly Change[] {
  const own = paths.find(
    (path) => path.startsWith(`${entrypoints}/`) && /\/(?:[^/]+\.)?options(?:\/index)?\.html$/.test(path),
  );
  return own === undefined ? [] : [linkByHand(own, PAGE)];
}

/** A policy of one's own may stand in the configuration in any form. */
function policyByHand(config: string): readonly Change[] {
  if (
    !/extension_pages|content_security_policy/.test(config) ||
    SERVICE_ORIGINS.every((origin) => config.includes(origin))
  )
    return [];
  return [
    {
      kind: 'by-hand',
      path: 'wxt.config.ts',
      why: 'the content security policy has to let the service, its sign-in and its database through',
      lines: [`connect-src … ${SERVICE_ORIGINS.join(' ')}`],
    },
  ];
}
