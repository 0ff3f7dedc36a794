import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Rolldown } from 'vite';
import { expect, it } from 'vitest';
import { SOURCE_CONDITION } from '../build/resolve-source.ts';

const ENTRY = 'virtual:page';
const door = (name: string): string => fileURLToPath(new URL(`../src/exports/${name}.ts`, import.meta.url));

/** What a page reads at once of ours, in gzipped bytes of scripts: React is the page's own. */
async function sizeOfPage(code: string): Promise<number> {
  const built = (await build({
    configFile: false,
    logLevel: 'error',
    plugins: [
      react(),
      {
        name: 'page',
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? code : null),
      },
    ],
    resolve: { conditions: [SOURCE_CONDITION, 'module', 'browser', 'import', 'default'] },
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'chrome121',
      modulePreload: false,
      rolldownOptions: { input: ENTRY, external: [/^react/] },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = built.output.filter((each) => each.type === 'chunk');
  const atOnce = new Set<string>();
  const visit = ({ fileName, imports }: Rolldown.OutputChunk): void => {
    if (atOnce.has(fileName)) return;
    atOnce.add(fileName);
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) visit(chunk);
  };
  for (const chunk of chunks) if (chunk.isEntry) visit(chunk);
  const sizes = chunks.flatMap(({ fileName, code }) =>
    atOnce.has(fileName) ? gzipSync(code, { level: 9 }).length : [],
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

const page = (components: string): string =>
  `import { ${components}, useBillingKeepAlive, useSnapshot } from '${door('react')}';
   import { providePricing } from '${door('pricing')}';
   globalThis.used = [${components}, useBillingKeepAlive, useSnapshot, providePricing];`;

it.each([
  [
    'the hooks and the messages',
    5_400,
    `import { useBillingKeepAlive, useBillingState, useCredits, useEntitlement } from '${door('react')}';
     import { send } from '${door('messages')}';
     globalThis.used = [useBillingKeepAlive, useBillingState, useCredits, useEntitlement, send];`,
  ],
  ['the meter and feature buttons', 14_600, page('BalanceMeter, FeatureButton, ToastProvider')],
  ['a plan’s status', 14_300, page('PlanStatus, ToastProvider')],
])('adds little to a page that shows billing by %s: at most %d bytes', async (_what, limit, code) => {
  const size = await sizeOfPage(code);
  // Far less would be a page from which everything was left out.
  expect(size).toBeGreaterThan(limit / 2);
  expect(size).toBeLessThanOrEqual(limit);
});
