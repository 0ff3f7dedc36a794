/*
 * What runs in the tab that is summarised, by `chrome.scripting.executeScript`: each function is sent there as its text,
 * so it uses nothing from outside itself. The page around may be anybody's. It can cover, restyle or remove what stands
 * in it, so nothing in here spends: the credit is spent by the click on the extension's icon, which no page can reach.
 */

/** What a reader sees of the page. */
export function readText(): string {
  // biome-ignore lint/performance/useDomNodeTextContent: what can be read, without scripts and hidden text
  return document.body.innerText;
}

/** Shows a text in a corner of the page, in a shadow root that the page can neither read nor style. */
export function showText(content: string): void {
  document.querySelector('summarise-this-page')?.remove();
  const host = document.createElement('summarise-this-page');
  const shadow = host.attachShadow({ mode: 'closed' });
  shadow.innerHTML = `
    <style>
      aside { position: fixed; inset: auto 16px 16px auto; z-index: 2147483647; max-width: 320px;
        font: 14px/1.4 system-ui; color: CanvasText; background: Canvas; color-scheme: light dark;
        padding: 12px; border: 1px solid; border-radius: 8px; }
      p { margin: 0 0 8px; }
    </style>
    <aside><p role="status"></p><button>Close</button></aside>`;
  const text = shadow.querySelector('p');
  if (text !== null) text.textContent = content;
  shadow.querySelector('button')?.addEventListener('click', () => host.remove());
  document.documentElement.append(host);
}
