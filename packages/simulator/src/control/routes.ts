import { text } from 'node:stream/consumers';
import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { StripeApiError } from '../http/errors.ts';
import { billingRoutes, disputeControlRoutes } from './billing.ts';
import { deliveryRoutes, faultRoutes } from './deliveries.ts';
import { type ControlContext, ControlError, jsonResponse, parseJsonObject } from './route.ts';
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
];

/**
 * Answers everything under /_sim. Errors are `{error: {message}}`: 400 for what was asked wrongly, 402 for a
 * refused card, 404 for what is not there, 409 for what is too late,
 * 502 when the service's records cannot be had.
 */
export function controlRoutes(context: ControlContext): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const { method, path, handle } of ROUTES)
    app.on(method, path, async ({ req, env }) => {
      const answer = await handle(context, parseJsonObject(await text(env.incoming)), req.param('id') ?? '');
      if (method === 'POST') await context.saved();
      return answer instanceof Response ? answer : jsonResponse(200, answer);
    });
  app.all('*', ({ req }) => {
    throw new ControlError(
      404,
      `There is no ${req.method} ${req.path}. packages/simulator/README.md lists what there is.`,
    );
  });
  app.onError((error) => {
    const known = error instanceof ControlError || error instanceof StripeApiError;
    if (!known) console.error(error);
    const message = known ? error.message : 'The simulator failed. Its log says more.';
    return jsonResponse(known ? error.status : 500, { error: { message } });
  });
  return app;
}
