import { html, type SafeHtml } from './html.ts';

/** The line above every page that says what this is, so that nobody takes it for the real provider. */
export function renderSimulationBanner(): SafeHtml {
  return html`<aside class="banner" aria-label="About this page"><strong>Simulation</strong> No money moves, and no card leaves this machine.</aside>`;
}
