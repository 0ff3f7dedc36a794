import { createBillingBackground } from '@extension-billing/client/background';
import * as addresses from './addresses.ts';

const billing = createBillingBackground(addresses.billing);

chrome.action.onClicked.addListener(() => void chrome.runtime.openOptionsPage());

// The page streams by itself: a worker may be ended while it waits. Only pages of this extension get the token.
chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
  const isAsked =
    typeof message === 'object' && message !== null && 'type' in message && message.type === 'assistantToken';
  if (!isAsked || sender.id !== chrome.runtime.id || sender.origin !== location.origin) return false;
  void billing.idToken().then(reply);
  return true;
});
