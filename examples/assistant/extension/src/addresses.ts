/** Where everything is: as `npm start` and function/local.ts serve it, or as the build's VITE_ variables say. */
const {
  VITE_ASSISTANT_URL = 'http://127.0.0.1:5070/v1',
  VITE_API_BASE_URL = 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  VITE_FIREBASE_PROJECT_ID = 'demo-extension-billing',
  VITE_FIREBASE_API_KEY = 'demo-api-key',
  // Empty in a build for your project.
  VITE_AUTH_EMULATOR_URL = 'http://127.0.0.1:9099',
  VITE_FIRESTORE_EMULATOR = '127.0.0.1:8080',
} = import.meta.env as Readonly<Record<string, string | undefined>>;

const [host = '', port = ''] = VITE_FIRESTORE_EMULATOR.split(':');

/** The function, as the package of OpenAI takes it: `baseURL`. The manifest's `host_permissions` name it, too. */
export const assistantUrl = VITE_ASSISTANT_URL;

export const billing = {
  apiBaseUrl: VITE_API_BASE_URL,
  firebase: { projectId: VITE_FIREBASE_PROJECT_ID, apiKey: VITE_FIREBASE_API_KEY },
  ...(VITE_AUTH_EMULATOR_URL !== '' && { authEmulatorUrl: VITE_AUTH_EMULATOR_URL }),
  ...(host !== '' && { firestoreEmulator: { host, port: Number(port) } }),
};
