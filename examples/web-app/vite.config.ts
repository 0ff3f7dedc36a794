import { existsSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

// In extension-billing's own checkout the client is its source, which needs no build. A copy uses the installed package.
const isCheckout = existsSync(new URL('../../packages/client/src', import.meta.url));
const conditions = [...(isCheckout ? ['extension-billing-source'] : []), ...defaultClientConditions];

export default defineConfig({
  resolve: { conditions },
  plugins: [react()],
  // The local service lets in this origin; another one goes into BILLING_WEB_ORIGINS.
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
});
