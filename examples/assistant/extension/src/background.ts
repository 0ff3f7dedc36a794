import { createBillingBackground } from '@extension-billing/client/background';

// The addresses of `npm start`, unless the build's VITE_ variables have others.
const {
  VITE_API_BASE_URL = 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  VITE_FIREBASE_PROJECT_ID = 'demo-extension-billing',
  VITE_FIREBASE_API_KEY = 'demo-api-key',
  // Set both to nothing in a build for your project.
  VITE_AUTH_EMULATOR_URL = 'http://127.0.0.1:9099',
  VITE_FIRESTORE_EMULATOR = '127.0.0.1:8080',
} = import.meta.env as Readonly<Record<string, string | undefined>>;
const [host = '', port = ''] = VITE_FIRESTORE_EMULATOR.split(':');

const billing = createBillingBackground({
  apiBaseUrl: VITE_API_BASE_URL,
  firebase: { projectId: VITE_FIREBASE_PROJECT_ID, apiKey: VITE_FIREBASE_API_KEY },
  ...(VITE_AUTH_EMULATOR_URL !== '' && { authEmulatorUrl: VITE_AUTH_EMULATOR_URL }),
  ...(host !== '' && { firestoreEmulator: { host, port: Number(port) } }),
});

chrome.action.onClicked.addListener(() => void chrome.runtime.openOptionsPage());

// The page streams, because Chrome may end a waiting worker. Only pages of this extension get the token.
chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
  const isAsked =
    typeof message === 'object' && message !== null && 'type' in message && message.type === 'assistantToken';
  if (!isAsked || sender.id !== chrome.runtime.id || sender.origin !== location.origin) return false;
  void billing.idToken().then(reply);
  return true;
});
