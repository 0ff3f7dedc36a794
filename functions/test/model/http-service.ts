import type { Firestore } from 'firebase-admin/firestore';
import { Stripe } from 'stripe';
import { readState } from './read-state.ts';
import type { Consumed, Delivered, Service } from './service.ts';

/** The signature that the provider puts on a delivery. */
export function sign(payload: string, secret: string): string {
  return Stripe.webhooks.generateTestHeaderString({ payload, secret });
}

export interface HttpService extends Service {
  /** Deliveries by status, for the report. */
  readonly statuses: Map<number, number>;
}

/**
 * The service over HTTP: signed deliveries and consumes, shared out over several servers.
 *
 * @param tokenOf the ID token of a user
 */
export function httpService(
  bases: readonly string[],
  secret: string,
  firestore: Firestore,
  tokenOf: (uid: string) => string,
  paidClaim: Service['paidClaim'],
): HttpService {
  let turn = 0;
  const statuses = new Map<number, number>();

  function base(): string {
    turn += 1;
    return bases[turn % bases.length] ?? '';
  }

  return {
    statuses,
    async deliver(event): Promise<Delivered> {
      const payload = JSON.stringify(event);
      const response = await fetch(`${base()}/billing/webhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'stripe-signature': sign(payload, secret) },
        body: payload,
      });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const text = await response.text();
      if (response.status === 503) return 'retry';
      if (response.status === 500) return 'crashed';
      if (response.status !== 200) throw new Error(`${event.id} was answered ${response.status}: ${text}`);
      return (JSON.parse(text) as { outcome: Delivered }).outcome;
    },

    async consume(uid, key, feature): Promise<Consumed | null> {
      const response = await fetch(`${base()}/credits/consume`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${tokenOf(uid)}`,
          'idempotency-key': key,
        },
        body: JSON.stringify({ feature }),
      });
      const body = (await response.json()) as { balance: number | null; replayed: boolean };
      const { balance, replayed } = body;
      if (response.status === 500 || response.status === 503) return null;
      if (response.status === 402) return { outcome: 'exhausted', replayed, balance };
      if (response.status !== 200)
        throw new Error(`consume was answered ${response.status}: ${JSON.stringify(body)}`);
      return { outcome: balance === null ? 'free' : 'granted', replayed, balance };
    },

    state: (uid) => readState(firestore, uid),
    isMarked: async (eventId) => (await firestore.doc(`billing_events/${eventId}`).get()).exists,
    paidClaim,
  };
}
