import type { RequestHandler } from 'express';
import type { Stripe } from 'stripe';
import type { AppDeps } from '../deps.ts';
import { isDocumentId } from '../domain/document-id.ts';
import { readInstant } from '../provider/read-instant.ts';
import { InvalidRequest, sendJson, sendProblem } from './answer.ts';
import { logOf, withLog } from './correlate.ts';
import { handleEvent } from './handle-event.ts';

/** Ids become document ids; the provider's have up to 255 characters. */
const LONGEST_ID = 255;

/**
 * POST /billing/webhook: the provider's signed events (specification, "Events"). The signature is checked on the
 * bytes as they came. Any failure is a non-2xx answer with nothing written, so that the provider tries again.
 */
export function webhookRoute(deps: AppDeps): RequestHandler {
  return async (req, res) => {
    const signature = req.headers['stripe-signature'];
    const event = await verify(deps, req.body as Buffer, typeof signature === 'string' ? signature : '');
    if (event === null) {
      logOf(res).warn('webhook_refused', { reason: 'signature' });
      sendProblem(res, 'invalid_signature', "Sign the raw body with this endpoint's own signing secret.");
      return;
    }
    if (isOfOtherMode(event, deps.config.providerSecretKey)) {
      logOf(res).warn('webhook_refused', { reason: 'mode' });
      const detail = "The event and this service's key are not of the same mode, test or live.";
      sendProblem(res, 'invalid_request', detail);
      return;
    }
    sendJson(res, 200, await handleEvent(withLog(deps, logOf(res)), event));
  };
}

/** The event, or null when the signature is missing, stale, or not made for this body with this secret. */
async function verify(deps: AppDeps, body: Buffer, signature: string): Promise<Stripe.Event | null> {
  const stripe = await deps.stripe();
  let event: unknown;
  try {
    event = stripe.webhooks.constructEvent(body, signature, deps.config.webhookSecret);
  } catch (error) {
    if (error instanceof SyntaxError) throw new InvalidRequest('The body is not valid JSON.');
    return null;
  }
  if (!isEvent(event)) throw new InvalidRequest('The body is not an event.');
  return event;
}

/** Test cards pay nothing: what they buy is nothing to a service that takes real money, and the other way round. */
function isOfOtherMode({ livemode }: Partial<Stripe.Event>, secretKey: string): boolean {
  return typeof livemode === 'boolean' && livemode !== /^[rs]k_live_/.test(secretKey);
}

function isEvent(value: unknown): value is Stripe.Event {
  if (typeof value !== 'object' || value === null) return false;
  const { id, type, created, data } = value as Partial<Record<'id' | 'type' | 'created' | 'data', unknown>>;
  const object = typeof data === 'object' && data !== null && 'object' in data ? data.object : null;
  return (
    isDocumentId(id, LONGEST_ID) &&
    typeof type === 'string' &&
    readInstant(created) !== null &&
    typeof object === 'object' &&
    object !== null &&
    !Array.isArray(object)
  );
}
