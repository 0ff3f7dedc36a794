import { createHmac } from 'node:crypto';

/**
 * The `Stripe-Signature` header for a raw body: HMAC-SHA256 over `<timestamp>.<body>`. The timestamp is
 * the wall clock's, as Stripe's is for a test clock's events too: receivers refuse old ones.
 */
export function signatureHeader(
  body: string,
  secret: string,
  timestamp = Math.floor(Date.now() / 1000),
): string {
  const digest = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return `t=${timestamp},v1=${digest}`;
}
