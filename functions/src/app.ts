import express, { type Express, type RequestHandler } from 'express';
import type { AppDeps } from './deps.ts';
import { refuse } from './http/answer.ts';
import { errorHandler } from './http/error-handler.ts';
import {
  answerInTime,
  askForCatalog,
  billingGate,
  cors,
  logOf,
  ownExtensions,
  plainHeaders,
  requestId,
  servesFirefox,
} from './http/gates.ts';
import { mountRoutes } from './routes.ts';

/** Well before the platform gives up (timeoutSeconds in index.ts). */
const ANSWER_WITHIN_MS = 30_000;

/**
 * The whole HTTP service: the 501 gate, every route, and the error handler
 * (design, section 3). Paths are relative to the function's own address.
 */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(requestId(deps.log), plainHeaders, answerInTime(ANSWER_WITHIN_MS));
  app.use(askForCatalog(deps));
  app.use(
    cors({ isOwn: ownExtensions(deps), hasFirefox: servesFirefox(deps), webOrigins: deps.config.webOrigins }),
    billingGate(deps.config.disabled),
  );
  mountRoutes(app, deps);
  app.use(notFound, errorHandler);
  return app;
}

const notFound: RequestHandler = (req, res) => {
  const detail = `There is no ${req.path} here; docs/api.md lists the routes.`;
  refuse(logOf(res), req, res, 'not_found', detail);
};
