import { scopesOf } from '@extension-billing/contract/callers';
import { ROUTES, type Route, type RouteName } from '@extension-billing/contract/routes';
import type { Express, RequestHandler } from 'express';
import { deleteAccountRoute } from './account/delete.ts';
import { grantRoute, revokeGrantRoute } from './account/grants.ts';
import { accountRoute } from './account/read.ts';
import { changeRoute } from './checkout/change.ts';
import { pricesRoute } from './checkout/prices.ts';
import { checkoutRoute, portalRoute } from './checkout/routes.ts';
import { balanceRoute, consumeRoute } from './credits/consume.ts';
import { measuredRoute, reserveRoute, settleRoute } from './credits/reservations.ts';
import { entriesAsked, usageRoute } from './credits/usage.ts';
import { versionSeal } from './credits/versions.ts';
import type { AppDeps } from './deps.ts';
import { webhookRoute } from './events/webhook.ts';
import { refuse } from './http/answer.ts';
import { knowClaimant, requireCaller, type Services } from './http/authenticate.ts';
import { jsonBody, rawBody } from './http/body.ts';
import { awaitCatalog, costLimit, logOf, rateLimit } from './http/gates.ts';
import { rememberPrices } from './stripe/prices.ts';

const JSON_BODY = { limit: 16 * 1024, withinMs: 5_000 };
const WEBHOOK_BODY = { limit: 1024 * 1024, withinMs: 10_000 };
/** What one user may ask of an instance in a minute, beyond what all their requests may (config.rateLimit). */
const PORTAL_BUDGET = { what: 'portal pages', points: 20, seconds: 60 };
const CHANGE_BUDGET = { what: 'changes of plan', points: 20, seconds: 60 };
const PRICES_BUDGET = { what: 'looks at the prices', points: 60, seconds: 60 };
const DELETION_BUDGET = { what: 'attempts to delete the account', points: 10, seconds: 60 };
/** In ledger entries: each one read is paid for. */
const USAGE_BUDGET = { what: 'pages of usage', points: 10_000, seconds: 60 };

interface Bound {
  readonly handle: RequestHandler;
  /** A budget of the route's own. */
  readonly limit?: RequestHandler;
}

/** What serves each route of the contract: one without a handler does not compile. */
function bind(deps: AppDeps): Readonly<Record<RouteName, Bound>> {
  const prices = rememberPrices(deps.stripe, deps.now);
  const seal = versionSeal(deps.config.webhookSecret);
  return {
    openCheckout: { handle: checkoutRoute(deps, prices) },
    changePlan: { handle: changeRoute(deps, prices), limit: costLimit(CHANGE_BUDGET) },
    readPrices: { handle: pricesRoute(deps, prices), limit: costLimit(PRICES_BUDGET) },
    openPortal: { handle: portalRoute(deps), limit: costLimit(PORTAL_BUDGET) },
    receiveEvent: { handle: webhookRoute(deps) },
    consumeCredits: { handle: consumeRoute(deps, seal) },
    reserveCredits: { handle: reserveRoute(deps, seal) },
    confirmReservation: { handle: settleRoute(deps, seal, 'confirm') },
    settleReservation: { handle: measuredRoute(deps, seal) },
    releaseReservation: { handle: settleRoute(deps, seal, 'release') },
    readBalance: { handle: balanceRoute(deps, seal) },
    readAccount: { handle: accountRoute(deps) },
    readUsage: { handle: usageRoute(deps), limit: costLimit(USAGE_BUDGET, entriesAsked) },
    grant: { handle: grantRoute(deps) },
    revokeGrant: { handle: revokeGrantRoute(deps) },
    deleteAccount: { handle: deleteAccountRoute(deps), limit: costLimit(DELETION_BUDGET) },
  };
}

/** Mounts every route of the contract, behind what its caller and its body need. Other methods there are a 405. */
export function mountRoutes(app: Express, deps: AppDeps): void {
  const services = onceLoaded(deps);
  const callerOf = requireCaller(deps, services);
  const rate = rateLimit(deps);
  const claimant = knowClaimant(deps, services);
  const json = jsonBody(JSON_BODY);
  const raw = rawBody(WEBHOOK_BODY);
  const catalog = awaitCatalog(deps);
  const bodyOf = ({ body }: Route) => (body === null ? [] : [body === 'event' ? raw : json]);
  for (const [name, { handle, limit }] of Object.entries(bind(deps))) {
    const route: Route = ROUTES[name as RouteName];
    const handlers = [
      // The provider's signature is over the body, which is read first (events/webhook.ts).
      ...(route.callers.includes('provider') ? [] : [callerOf(route.callers), rate]),
      ...(limit === undefined ? [] : [limit]),
      ...bodyOf(route),
      // Whether an event is Stripe's is seen first (events/webhook.ts).
      ...(route.body === 'event' ? [] : [catalog]),
      ...(scopesOf(route.callers).length > 0 ? [claimant] : []),
      handle,
    ];
    const mounted = app.route(route.path);
    (route.method === 'GET' ? mounted.get(handlers) : mounted.post(handlers)).all(only(route.method));
  }
}

/** What only services need is loaded by the first request that may be of one. */
function onceLoaded(deps: AppDeps): () => Promise<Services> {
  let loaded: Promise<Services> | undefined;
  return () => {
    loaded ??= import('./services/services.ts').then(({ connectServices }) => connectServices(deps));
    return loaded;
  };
}

/** Answers 405 with the method that the route does take. */
function only(method: Route['method']): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', method);
    refuse(logOf(res), req, res, 'method_not_allowed', `${req.method} is not taken here; use ${method}.`);
  };
}
