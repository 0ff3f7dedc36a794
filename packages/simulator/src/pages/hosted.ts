import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerCheckout } from '../checkout/page.ts';
import { StripeApiError } from '../http/errors.ts';
import { readBody } from '../http/read-body.ts';
import { answerInvoice } from '../invoices/page.ts';
import { answerThreeDSecure } from '../payments/three-d-secure.ts';
import { answerPortal } from '../portal/page.ts';
import type { World } from '../state/world.ts';
import { renderDashboard } from './dashboard.ts';
import {
  type HostedAnswer,
  html,
  readAsset,
  renderPage,
  renderSimulationBanner,
  sendHosted,
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

const PAGE = /^\/(c\/pay|p\/session|3ds|i)\/([^/]+?)(?:\/pdf)?$/;

const notFound = (message: string): HostedAnswer => ({ status: 404, html: renderNotFound(message) });

async function hostedAnswer(world: World, request: IncomingMessage, url: URL): Promise<HostedAnswer> {
  if (url.pathname === '/' || url.pathname === '/_sim') return { status: 200, html: renderDashboard() };
  const page = PAGE.exec(url.pathname);
  if (page === null)
    return notFound(
      'A checkout is at /c/pay/…, a portal at /p/session/…: open the whole address that the API answered.',
    );
  const form = request.method === 'POST' ? new URLSearchParams(await readBody(request)) : null;
  const id = decodeURIComponent(page[2] ?? '');
  try {
    if (page[1] === '3ds') return answerThreeDSecure(world, id, form);
    if (page[1] === 'i') return answerInvoice(world, id, form);
    return page[1] === 'c/pay'
      ? answerCheckout(world, id, form)
      : answerPortal(world, id, form, url.searchParams.get('notice'));
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    return notFound('This session does not exist, or was forgotten by a reset. Start a new one.');
  }
}

/** Answers the pages that people see: checkout, portal, and the simulator's own. */
export async function answerHosted(
  { world, saved }: { world: World; saved: () => Promise<void> },
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const answer = await hostedAnswer(world, request, url);
  if (request.method === 'POST') await saved();
  sendHosted(response, answer);
}
