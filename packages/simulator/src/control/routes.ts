import type { IncomingMessage, ServerResponse } from 'node:http';
import { StripeApiError } from '../http/errors.ts';
import { readBody } from '../http/read-body.ts';
import { billingRoutes, disputeControlRoutes } from './billing.ts';
import { deliveryRoutes, faultRoutes } from './deliveries.ts';
import type { ControlContext } from './json.ts';
import { ControlError, parseJsonObject, sendJson } from './json.ts';
import { clockRoutes, recordRoutes, snapshotRoutes, stateRoutes } from './state.ts';

const ROUTES = [
  ...stateRoutes,
  ...snapshotRoutes,
  ...clockRoutes,
  ...deliveryRoutes,
  ...billingRoutes,
  ...disputeControlRoutes,
  ...faultRoutes,
  ...recordRoutes,
].map((route) => ({
  ...route,
  pattern: new RegExp(`^/_sim${route.path.replace(/:\w+/, '([^/]+)')}$`),
}));

/**
 * Answers everything under /_sim. Errors are `{error: {message}}`: 400 for what was asked wrongly, 402 for a
 * refused card, 404 for what is not there, 409 for what is too late,
 * 502 when the service's records cannot be had.
 */
export async function answerControl(
  context: ControlContext,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  try {
    const route = ROUTES.find(
      (candidate) => candidate.method === request.method && candidate.pattern.test(url.pathname),
    );
    if (route === undefined)
      throw new ControlError(
        404,
        `There is no ${request.method} ${url.pathname}. packages/simulator/README.md lists what there is.`,
      );
    const body = parseJsonObject(await readBody(request));
    const id = decodeURIComponent(route.pattern.exec(url.pathname)?.[1] ?? '');
    const answer = await route.handle(context, body, id);
    if (route.method === 'POST') await context.saved();
    sendJson(response, 200, answer);
  } catch (error) {
    const known = error instanceof ControlError || error instanceof StripeApiError;
    if (!known) console.error(error);
    const message = known ? error.message : 'The simulator failed. Its log says more.';
    sendJson(response, known ? error.status : 500, { error: { message } });
  }
}
