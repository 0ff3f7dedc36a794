import type { SummariseReply, SummariseRequest } from './summarise-message.ts';

type DenialReason = Extract<SummariseReply, { ok: false }>['reason'];

const REFUSALS: Readonly<Partial<Record<DenialReason, string>>> = {
  exhausted: 'You have no credits left. Open the extension’s options to buy some.',
  signed_out: 'Sign in first, in the extension’s options.',
  offline: 'There is no connection. Nothing was spent.',
  unknown_feature: 'This is no longer offered. Update the extension.',
};

const NOT_NOW = 'This did not work. Try again in a moment.';

const host = document.createElement('summarise-this-page');
const shadow = host.attachShadow({ mode: 'open' });
shadow.innerHTML = `
  <style>
    aside { position: fixed; inset: auto 16px 16px auto; z-index: 2147483647; max-width: 320px;
      font: 14px/1.4 system-ui; color: CanvasText; background: Canvas; color-scheme: light dark;
      padding: 8px; border: 1px solid; border-radius: 8px; }
    p { margin: 0; } p:not(:empty) { margin: 0 0 8px; }
  </style>
  <aside><p role="status"></p><button>Summarise this page</button></aside>`;
const words = shadow.querySelector('p');
const button = shadow.querySelector('button');

button?.addEventListener('click', async (event) => {
  // The page around this can click it too, by script, and would spend the user's credits.
  if (!event.isTrusted) return;
  button.disabled = true;
  const said = await ask().catch(() => NOT_NOW);
  if (words) words.textContent = said;
  button.disabled = false;
});
document.documentElement.append(host);

async function ask(): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: what can be read, without scripts and hidden text
  const request: SummariseRequest = { type: 'summarise', text: document.body.innerText };
  const reply: SummariseReply = await chrome.runtime.sendMessage(request);
  return reply.ok ? reply.summary : (REFUSALS[reply.reason] ?? NOT_NOW);
}
