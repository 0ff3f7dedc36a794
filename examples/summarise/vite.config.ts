import { existsSync } from 'node:fs';
import { defaultClientConditions, defineConfig } from 'vite';

// In extension-billing's own checkout the client is its source, which needs no build. A copy uses the installed package.
const isCheckout = existsSync(new URL('../../packages/client/src', import.meta.url));
const conditions = [...(isCheckout ? ['extension-billing-source'] : []), ...defaultClientConditions];

export default defineConfig({
  resolve: { conditions },
  build: {
    target: 'chrome121',
    modulePreload: false,
    rolldownOptions: {
      input: ['options.html', 'src/background.ts'],
      output: { entryFileNames: '[name].js' },
    },
  },
});
