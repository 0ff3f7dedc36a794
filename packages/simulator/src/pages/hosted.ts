import { Hono } from 'hono';
import { answerCheckout } from '../checkout/page.ts';
import { StripeApiError } from '../http/errors.ts';
import { answerInvoice } from '../invoices/page.ts';
import { answerThreeDSecure } from '../payments/three-d-secure.ts';
import { answerPortal } from '../portal/page.ts';
import type { World } from '../state/world.ts';
import { renderDashboard } from './dashboard.ts';
import {
  type HostedAnswer,
  hostedResponse,
  html,
  readAsset,
  renderPage,
  renderSimulationBanner,
} from './page.ts';

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

const notFound = (message: string): Response =>
  hostedResponse({ status: 404, html: renderNotFound(message) });

/** What a page answers: it is shown when `form` is null, and does what the form asks otherwise. */
type Page = (id: string, form: URLSearchParams | null, notice: string | null) => HostedAnswer;

/** The pages that people see: checkout, portal, an invoice, the bank's, and the simulator's own. */
export function pageRoutes({ world, saved }: { world: World; saved: () => Promise<void> }): Hono {
  const app = new Hono();
  for (const path of ['/', '/_sim'])
    app.get(path, () => hostedResponse({ status: 200, html: renderDashboard() }));
  const page = (path: string, show: Page) =>
    app.on(['GET', 'POST'], path, async ({ req }) => {
      const form = req.method === 'POST' ? new URLSearchParams(await req.text()) : null;
      const answer = show(req.param('id') ?? '', form, req.query('notice') ?? null);
      if (form !== null) await saved();
      return hostedResponse(answer);
    });
  page('/c/pay/:id', (id, form) => answerCheckout(world, id, form));
  page('/p/session/:id', (id, form, notice) => answerPortal(world, id, form, notice));
  page('/3ds/:id', (id, form) => answerThreeDSecure(world, id, form));
  for (const path of ['/i/:id', '/i/:id/pdf']) page(path, (id, form) => answerInvoice(world, id, form));
  app.onError((error) => {
    if (!(error instanceof StripeApiError)) throw error;
    return notFound('This session does not exist, or was forgotten by a reset. Start a new one.');
  });
  return app;
}

/** For an address that no page has. */
export const pageNotFound = (): Response =>
  notFound(
    'A checkout is at /c/pay/…, a portal at /p/session/…: open the whole address that the API answered.',
  );
