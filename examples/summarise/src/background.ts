import { createBillingBackground } from '@extension-billing/client/background';
import { summarise } from './summarise.ts';
import { isSummariseRequest, type SummariseReply } from './summarise-message.ts';

/** As the server's pricing file names it: one credit. */
const FEATURE = 'demo';

const billing = createBillingBackground({
  apiBaseUrl: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  firebase: { projectId: 'demo-extension-billing', apiKey: 'demo-api-key' },
  authEmulatorUrl: 'http://127.0.0.1:9099',
  firestoreEmulator: { host: '127.0.0.1', port: 8080 },
  unknownMessages: 'leave', // this worker has a message of its own, below
});

chrome.runtime.onMessage.addListener((message: unknown, sender, reply) => {
  if (sender.id !== chrome.runtime.id || !isSummariseRequest(message)) return false;
  spendAndSummarise(message.text).then(reply, () => reply({ ok: false, reason: 'unavailable' }));
  return true;
});

/** The credit is spent before the work: what a content script asks for is paid for here, where no page can reach. */
async function spendAndSummarise(text: string): Promise<SummariseReply> {
  const { ok, balance, reason } = await billing.consume({ feature: FEATURE });
  if (!ok) return { ok: false, reason: reason ?? 'unavailable' };
  return { ok: true, summary: summarise(text), creditsLeft: balance };
}
