import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defaultClientConditions, defineConfig } from 'vite';

// In extension-billing's own checkout the client is its source, which needs no build. A copy uses the installed package.
const isCheckout = existsSync(new URL('../../../packages/client/src', import.meta.url));
const conditions = [...(isCheckout ? ['extension-billing-source'] : []), ...defaultClientConditions];
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  resolve: { conditions },
  build: {
    target: 'chrome121',
    modulePreload: false,
    rolldownOptions: {
      input: [here('assistant.html'), here('src/background.ts')],
      output: { entryFileNames: '[name].js' },
    },
  },
});
