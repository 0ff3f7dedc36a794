import { createBillingBackground } from '@extension-billing/client/background';
import type { DenialReason } from '@extension-billing/client/messages';
import { catalog } from './catalog.ts';
import { readText, showText } from './in-page.ts';
import { sentencesOf, summarise } from './summarise.ts';

/** The first feature that the catalogue prices is what a summary costs. */
const [FEATURE = ''] = Object.keys(catalog.features);

const REFUSALS: Readonly<Partial<Record<DenialReason | 'too_many_reservations', string>>> = {
  exhausted: 'You have no credits left. Open the extension’s options to buy some.',
  signed_out: 'Sign in first, in the extension’s options.',
  offline: 'There is no connection. Nothing was spent.',
  unknown_feature: 'This is no longer offered. Update the extension.',
};
const NOT_NOW = 'This did not work. Try again in a moment.';
const NOTHING_THERE = 'There is too little text here for a summary. Nothing was spent.';

const billing = createBillingBackground({
  apiBaseUrl: 'http://127.0.0.1:5001/demo-extension-billing/us-central1/api',
  firebase: { projectId: 'demo-extension-billing', apiKey: 'demo-api-key' },
  authEmulatorUrl: 'http://127.0.0.1:9099',
  firestoreEmulator: { host: '127.0.0.1', port: 8080 },
});

/** Tabs that are being summarised: a double click on the icon pays once. */
const busy = new Set<number>();

// The click is what spends, and it opens this one tab to the extension (`activeTab`): it asks for no site beforehand.
chrome.action.onClicked.addListener(async ({ id }) => {
  if (id === undefined || busy.has(id)) return;
  busy.add(id);
  try {
    await summariseTab(id);
  } catch {
    // Chrome's own pages and the store let no extension in, and a page may be left meanwhile.
    await mark(id, 'This page cannot be summarised. Nothing was spent.');
  } finally {
    busy.delete(id);
  }
});

async function summariseTab(tabId: number): Promise<void> {
  const target = { tabId };
  const [page] = await chrome.scripting.executeScript({ target, func: readText });
  const sentences = sentencesOf(page?.result ?? '');
  // First whether there is something to sell, then the price.
  if (sentences.length === 0) return mark(tabId, NOTHING_THERE);
  const show = (text: string) => chrome.scripting.executeScript({ target, func: showText, args: [text] });
  // Held first and taken once the summary is shown: a page that was left, or an answer that was lost, costs nothing.
  const work = await billing.withCredits(FEATURE, () => show(summarise(sentences)));
  if (!work.ok) await show(REFUSALS[work.reason] ?? NOT_NOW);
}

/** Says on the icon, in this tab, what its page cannot show. The tab may be closed by then. */
async function mark(tabId: number, title: string): Promise<void> {
  await Promise.allSettled([
    chrome.action.setBadgeText({ tabId, text: '✕' }),
    chrome.action.setTitle({ tabId, title }),
  ]);
}
