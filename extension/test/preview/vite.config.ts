import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';
import { addressesFrom } from '../../build/addresses.ts';
import { CONTRACT_ALIASES, SOURCE_CONDITION } from '../../build/resolve-source.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The demo's pages import their pricing file by this path; the contract's own files do not. */
const DEMO_PRICING = {
  find: /^.*\/functions\/src\/contract\/pricing\.ts$/,
  replacement: here('./preview-pricing.ts'),
};

/** A developer's tool: every state of the UI on a plain page, without a browser extension or a server behind it. */
export default defineConfig({
  root: here('.'),
  publicDir: here('../../public'),
  cacheDir: here('../../node_modules/.vite-preview'),
  plugins: [react()],
  define: { __BUILD_ADDRESSES__: JSON.stringify(addressesFrom({ VITE_GOOGLE_CLIENT_ID: 'preview' })) },
  resolve: {
    alias: [DEMO_PRICING, ...CONTRACT_ALIASES],
    conditions: [SOURCE_CONDITION, ...defaultClientConditions],
  },
  build: { target: 'chrome121', rolldownOptions: { input: [here('./index.html'), here('./show.html')] } },
  server: { host: '127.0.0.1', port: Number(process.env.BILLING_PREVIEW_PORT ?? 5183), strictPort: true },
});
