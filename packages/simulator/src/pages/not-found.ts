import { html } from './html.ts';
import { readAsset, renderPage } from './page.ts';
import { renderSimulationBanner } from './simulation-banner.ts';

const STYLE = readAsset('styles/hosted.css');

/** The page for an address that leads nowhere; `message` says what to do instead. */
export function renderNotFound(message: string): string {
  return renderPage({
    title: 'Not found (simulation)',
    style: STYLE,
    body: html`${renderSimulationBanner()}
<main class="sheet">
<h1>Not found</h1>
<p>${message}</p>
<p><a class="secondary" href="/_sim">Open the simulator’s page</a></p>
</main>`,
  });
}
