import { LOCAL_SUITE } from './addresses.ts';

const { apiBaseUrl, projectId, apiKey, authEmulatorUrl, firestoreEmulator, returnOrigin } = LOCAL_SUITE;

const CONFIG = `{
  // The service that \`npm start\` of the checkout runs. Going live: your project's addresses here, and no emulators.
  apiBaseUrl: '${apiBaseUrl}',
  firebase: { projectId: '${projectId}', apiKey: '${apiKey}' },
  authEmulatorUrl: '${authEmulatorUrl}',
  firestoreEmulator: { host: '${firestoreEmulator.host}', port: ${firestoreEmulator.port} },
  returnOrigin: '${returnOrigin}',
}`;

/**
 * Billing's part of a worker that is a module, or that a bundler makes one file of.
 *
 * @param from the package's door, or a copy of what is behind it
 */
export function workerModule(from: string): string {
  return `// Billing's part of the background. It is called while the module runs: Chrome hands the event that started a worker
// only to listeners that are there by then.
import { createBillingBackground, forgetDismissalWhenRisen } from '${from}';

// In the rest of the background: import { billing } from this file, then \`await billing.consume({ feature: 'demo' })\`.
export const billing = createBillingBackground(${CONFIG});
forgetDismissalWhenRisen();
`;
}

/**
 * The same for a worker that is a classic script.
 *
 * @param client the address of background.classic.js in the extension
 */
export function workerClassic(client: string): string {
  return `// Billing's part of the background. It is called while the script runs: Chrome hands the event that started a worker
// only to listeners that are there by then.
// Where there is no service worker (background.scripts), the manifest lists it before this file.
if ('importScripts' in globalThis) importScripts('${client}');

// In the rest of the background: \`await extensionBillingBackground.consume({ feature: 'demo' })\`.
globalThis.extensionBillingBackground = globalThis.extensionBilling.createBillingBackground(${CONFIG});
globalThis.extensionBilling.forgetDismissalWhenRisen();
`;
}
