import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';
import { addressesFrom } from '../../../../extension/build/addresses.ts';
import { codeSplitting } from '../../../../extension/build/code-splitting.ts';
import { inlineCatalog } from '../../../contract/build/inline-catalog.ts';
import { SOURCE_CONDITION } from '../../build/resolve-source.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** In the place of the demo's catalogue, that of the state which is shown. */
const demoCatalog: Plugin = {
  name: 'preview:demo-catalog',
  enforce: 'pre',
  resolveId: (source, importer) =>
    importer?.includes('/extension/src/demo/') && source.endsWith('/billing.config.ts')
      ? here('./preview-catalog.ts')
      : null,
};

/** What a page of elements shows comes from their own file, so that it needs no other page. */
const pagesOf = (mode: string): string[] => (mode === 'elements' ? ['elements'] : ['index', 'show']);

/** A developer's tool: every state of the UI on a plain page, without a browser extension or a server behind it. */
export default defineConfig(({ mode }) => ({
  root: here('.'),
  publicDir: here('../../../../extension/public'),
  cacheDir: here('../../../../node_modules/.vite-preview'),
  plugins: [demoCatalog, inlineCatalog, react()],
  define: {
    __BUILD_ADDRESSES__: JSON.stringify(
      addressesFrom({ VITE_GOOGLE_CLIENT_ID: 'preview', VITE_SIGN_IN_LINK_URL: 'preview' }),
    ),
  },
  resolve: {
    conditions: [SOURCE_CONDITION, ...defaultClientConditions],
  },
  build: {
    target: 'chrome121',
    rolldownOptions: {
      input: pagesOf(mode).map((name) => here(`./${name}.html`)),
      output: { codeSplitting },
    },
  },
  server: { host: '127.0.0.1', port: Number(process.env.BILLING_PREVIEW_PORT ?? 5183), strictPort: true },
}));
