import express, { type Express, type RequestHandler } from 'express';
import { deleteAccountRoute } from './account/delete.ts';
import { checkoutRoute, portalRoute } from './checkout/routes.ts';
import { balanceRoute, consumeRoute } from './credits/consume.ts';
import { reserveRoute, settleRoute } from './credits/reservations.ts';
import { entriesAsked, usageRoute } from './credits/usage.ts';
import type { AppDeps } from './deps.ts';
import { webhookRoute } from './events/webhook.ts';
import { refuse } from './http/answer.ts';
import { requireUser } from './http/authenticate.ts';
import { jsonBody, rawBody } from './http/body.ts';
import { answerError } from './http/error-handler.ts';
import { answerInTime, billingGate, correlate, cors, limitCost, limitRate, logOf } from './http/gates.ts';

const JSON_BODY = { limit: 16 * 1024, withinMs: 5_000 };
const WEBHOOK_BODY = { limit: 1024 * 1024, withinMs: 10_000 };
/** What one user may ask of an instance in a minute, beyond what all their requests may (config.rateLimit). */
const PORTAL_BUDGET = { what: 'portal pages', points: 20, seconds: 60 };
const DELETION_BUDGET = { what: 'attempts to delete the account', points: 10, seconds: 60 };
/** In ledger entries: each one read is paid for. */
const USAGE_BUDGET = { what: 'pages of usage', points: 10_000, seconds: 60 };
/** Well before the platform gives up (timeoutSeconds in index.ts). */
const ANSWER_WITHIN_MS = 30_000;

/**
 * The whole HTTP service: the 501 gate, every route, and the mapper that turns what they throw into answers
 * (design, section 3). Paths are relative to the function's own address.
 */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  const user = [requireUser(deps), limitRate(deps)];
  const atPortal = [...user, limitCost(PORTAL_BUDGET)];
  const atDeletion = [...user, limitCost(DELETION_BUDGET)];
  const ofUsage = [...user, limitCost(USAGE_BUDGET, entriesAsked)];
  const json = jsonBody(JSON_BODY);

  app.use(correlate(deps.log), plainHeaders, answerInTime(ANSWER_WITHIN_MS));
  app.use(cors(deps.config.extensionIds), billingGate(deps.config.disabled));
  app.route('/billing/checkout').post(user, json, checkoutRoute(deps)).all(only('POST'));
  app.route('/billing/portal').post(atPortal, json, portalRoute(deps)).all(only('POST'));
  app.route('/billing/webhook').post(rawBody(WEBHOOK_BODY), webhookRoute(deps)).all(only('POST'));
  app.route('/credits/consume').post(user, json, consumeRoute(deps)).all(only('POST'));
  app.route('/credits/reserve').post(user, json, reserveRoute(deps)).all(only('POST'));
  app.route('/credits/confirm').post(user, json, settleRoute(deps, 'confirm')).all(only('POST'));
  app.route('/credits/release').post(user, json, settleRoute(deps, 'release')).all(only('POST'));
  app.route('/credits/balance').get(user, balanceRoute(deps)).all(only('GET'));
  app.route('/credits/usage').get(ofUsage, usageRoute(deps)).all(only('GET'));
  app.route('/account/delete').post(atDeletion, json, deleteAccountRoute(deps)).all(only('POST'));
  app.use(notFound, answerError);
  return app;
}

const plainHeaders: RequestHandler = (_req, res, next) => {
  // The server around this app (emulator) sets it before the app has a say.
  res.removeHeader('X-Powered-By');
  res.setHeader('Cache-Control', 'no-store');
  // No browser may take an answer for a page or a script, whatever a path in it looks like.
  res.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};

const notFound: RequestHandler = (req, res) => {
  const detail = `There is no ${req.path} here; docs/api.md lists the routes.`;
  refuse(logOf(res), req, res, 'not_found', detail);
};

/** Answers 405 with the methods that the route does take. */
function only(...methods: readonly string[]): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', methods.join(', '));
    const detail = `${req.method} is not taken here; use ${methods.join(' or ')}.`;
    refuse(logOf(res), req, res, 'method_not_allowed', detail);
  };
}
