import type Stripe from 'stripe';
import { signatureHeader } from './sign.ts';

export interface Posted {
  ok: boolean;
  status: number | null;
  body: string | null;
}

/** Longer than Stripe shows of an answer; enough to see what went wrong. */
const BODY_SHOWN = 4000;

/** One attempt to deliver an event: signed, without following redirects. Never throws. */
export async function postEvent(
  url: string,
  event: Stripe.Event,
  secret: string,
  timeoutMs: number,
): Promise<Posted> {
  const body = JSON.stringify(event, null, 2);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: {
        'Content-Type': 'application/json; charset=utf-8',
        'Stripe-Signature': signatureHeader(body, secret),
        'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      },
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    return { ok: response.ok, status: response.status, body: text.slice(0, BODY_SHOWN) };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { ok: false, status: null, body: cause instanceof Error ? cause.message : String(cause) };
  }
}
