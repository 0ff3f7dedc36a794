import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  plugins: [react()],
  // The local service lets in this origin; another one goes into BILLING_WEB_ORIGINS.
  server: { host: '127.0.0.1', port: 5173, strictPort: true },
});
