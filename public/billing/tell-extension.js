// Wakes the extension so that it looks for the purchase at once. The message has no data in it, and nothing
// depends on it: the extension also looks by itself.
const extension = new URLSearchParams(location.search).get('extension');
try {
  if (extension && globalThis.chrome?.runtime?.sendMessage) {
    chrome.runtime.sendMessage(extension, { type: 'billingReturn' }, () => void chrome.runtime.lastError);
  }
} catch {
  // Not this browser, or the extension is gone: the page says the same either way.
}
