import type { IncomingMessage, ServerResponse } from 'node:http';
import { StripeApiError } from '../http/errors.ts';
import { readBody } from '../http/read-body.ts';
import { renderDashboard } from '../pages/dashboard.ts';
import type { World } from '../state/world.ts';
import { answerCheckout } from './answer-checkout.ts';
import { answerPortal } from './answer-portal.ts';
import { sendHtml } from './html-response.ts';

const PAGE = /^\/(c\/pay|p\/session)\/([^/]+)$/;

const notFound = (message: string): string =>
  `<!doctype html><html lang="en"><title>Not found</title><h1>Not found</h1><p>${message}</p>`;

/** Answers the pages that people see: checkout, portal, and the simulator's own. */
export async function answerHosted(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  if (url.pathname === '/' || url.pathname === '/_sim') {
    sendHtml(response, 200, renderDashboard());
    return;
  }
  const page = PAGE.exec(url.pathname);
  if (page === null) {
    sendHtml(response, 404, notFound('The simulator has pages at /, /c/pay/… and /p/session/….'));
    return;
  }
  const form = request.method === 'POST' ? new URLSearchParams(await readBody(request)) : null;
  const id = decodeURIComponent(page[2] ?? '');
  try {
    if (page[1] === 'c/pay') answerCheckout(world, response, id, form);
    else answerPortal(world, response, id, form, url.searchParams.get('notice'));
  } catch (error) {
    if (!(error instanceof StripeApiError)) throw error;
    sendHtml(response, 404, notFound('This session does not exist, or was forgotten by a reset.'));
  }
}
