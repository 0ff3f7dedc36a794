import { createWebBilling } from '@extension-billing/client/web';

/**
 * The same addresses as in the extension's background. The service lets this page in by its origin: on your machine
 * vite's own, and where it is deployed the one in `BILLING_WEB_ORIGINS`.
 */
export const billing = createWebBilling({
  apiBaseUrl: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  firebase: { projectId: 'demo-extension-billing', apiKey: 'demo-api-key' },
  authEmulatorUrl: 'http://127.0.0.1:9099',
  firestoreEmulator: { host: '127.0.0.1', port: 8080 },
});
