import type { RequestHandler } from 'express';

/**
 * Lets the pages of the configured extensions read the answers, and nobody else's. Preflights are answered
 * here, for every path, so that the extension can also read a 404.
 */
export function cors(extensionIds: readonly string[]): RequestHandler {
  const origins: ReadonlySet<string> = new Set(extensionIds.map((id) => `chrome-extension://${id}`));

  return (req, res, next) => {
    res.vary('Origin');
    const { origin } = req.headers;
    if (origin === undefined || !origins.has(origin)) return next();
    res.set('Access-Control-Allow-Origin', origin);
    res.set('Access-Control-Expose-Headers', 'Retry-After, X-Correlation-Id');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      return next();
    }
    res.set('Access-Control-Allow-Methods', 'GET, POST');
    res.set('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key, X-Correlation-Id');
    // Chrome keeps a preflight for two hours at most.
    res.set('Access-Control-Max-Age', '7200');
    res.status(204).end();
  };
}
