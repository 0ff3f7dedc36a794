import { fileURLToPath } from 'node:url';
import { crx } from '@crxjs/vite-plugin';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, loadEnv } from 'vite';
import { SOURCE_CONDITION } from '../packages/client/build/resolve-source.ts';
import { smallFirebase } from '../packages/client/src/patches/small-firebase.ts';
import { inlineCatalog } from '../packages/contract/build/inline-catalog.ts';
import { addressesFrom } from './build/addresses.ts';
import { codeSplitting } from './build/code-splitting.ts';
import { workerApart } from './build/worker-apart.ts';
import { manifest } from './manifest.config.ts';
import { firefoxManifest, SIDEBAR } from './manifest.firefox.ts';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig(({ command, mode }) => {
  const addresses = addressesFrom(loadEnv(mode, here('.'), 'VITE_'));
  const port = Number(process.env.BILLING_DEV_PORT ?? 5173);
  // One source, a build for each browser: `vite build --mode firefox`.
  const isFirefox = mode === 'firefox';
  // crx looks for pages in keys of Chromium's manifest alone.
  const sidebar = { sidebar: here(SIDEBAR) };
  const forChromium = manifest(addresses, { development: command === 'serve' });
  return {
    root: here('.'),
    plugins: [
      inlineCatalog,
      react(),
      smallFirebase(),
      workerApart,
      crx(
        isFirefox
          ? { manifest: firefoxManifest(forChromium), browser: 'firefox' }
          : { manifest: forChromium },
      ),
    ],
    define: { __BUILD_ADDRESSES__: JSON.stringify(addresses) },
    resolve: { conditions: [SOURCE_CONDITION, ...defaultClientConditions] },
    build: {
      target: isFirefox ? 'firefox140' : 'chrome121',
      // Nothing here uses `light-dark()`, which an older target would be prepared for.
      ...(!isFirefox && { cssTarget: 'chrome123' }),
      // A worker has no document to preload into, and pages load from the disk.
      modulePreload: false,
      emptyOutDir: true,
      // The development server splits nothing, and says so of an option that it does not know.
      rolldownOptions:
        command === 'serve' ? {} : { output: { codeSplitting }, ...(isFirefox && { input: sidebar }) },
      // A folder of its own: a development build lets every web page read its files, so it must never be shipped.
      outDir: here(command === 'serve' ? 'dist-dev' : isFirefox ? 'dist-firefox' : 'dist'),
    },
    server: {
      port,
      strictPort: true,
      hmr: { port },
      cors: { origin: [/chrome-extension:\/\//] },
    },
  };
});
