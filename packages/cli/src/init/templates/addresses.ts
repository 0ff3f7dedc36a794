/** Where `npm start` of the checkout listens, as far as an extension has to know (a test holds them equal). */
export const LOCAL_SUITE = {
  apiBaseUrl: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  projectId: 'demo-extension-billing',
  apiKey: 'demo-api-key',
  authEmulatorUrl: 'http://127.0.0.1:9099',
  firestoreEmulator: { host: '127.0.0.1', port: 8080 },
  returnOrigin: 'http://127.0.0.1:5056',
} as const;

const { apiBaseUrl, authEmulatorUrl, firestoreEmulator } = LOCAL_SUITE;

/** The origins that the worker connects to: for a content security policy that names what may be reached. */
export const SERVICE_ORIGINS: readonly string[] = [
  new URL(apiBaseUrl).origin,
  authEmulatorUrl,
  `http://${firestoreEmulator.host}:${firestoreEmulator.port}`,
];
