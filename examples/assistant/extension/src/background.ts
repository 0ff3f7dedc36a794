import { createBillingBackground } from '@extension-billing/client/background';

const billing = createBillingBackground({
  apiBaseUrl: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  firebase: { projectId: 'demo-extension-billing', apiKey: 'demo-api-key' },
  authEmulatorUrl: 'http://127.0.0.1:9099',
  firestoreEmulator: { host: '127.0.0.1', port: 8080 },
});

chrome.action.onClicked.addListener(() => void chrome.runtime.openOptionsPage());

// The page streams by itself: a worker may be ended while it waits. Only pages of this extension get the token.
chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
  const isAsked =
    typeof message === 'object' && message !== null && 'type' in message && message.type === 'assistantToken';
  if (!isAsked || sender.id !== chrome.runtime.id || sender.origin !== location.origin) return false;
  void billing.idToken().then(reply);
  return true;
});
