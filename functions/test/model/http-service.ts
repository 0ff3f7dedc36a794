import type { Firestore } from 'firebase-admin/firestore';
import { Stripe } from 'stripe';
import type { Asker } from './credit-oracle.ts';
import type { ModelStripe } from './model-stripe.ts';
import { readState } from './read-state.ts';
import type { Consumed, Delivered, Service, Settled } from './service.ts';

/** Who makes the servers and calls them as a service. */
export const TRUSTED = { token: 'token-of-the-model', name: 'model', scopes: ['hold'] } as const;

/** The signature that the provider puts on a delivery. */
function sign(payload: string, secret: string): string {
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
 * @param stripe the provider that the servers ask: it is told which of their questions come after an event is stored
 */
export function httpService(
  bases: readonly string[],
  secret: string,
  firestore: Firestore,
  tokenOf: (uid: string) => string,
  paidClaim: Service['paidClaim'],
  stripe: ModelStripe,
): HttpService {
  let turn = 0;
  /** By user: the event that was sent last. */
  const sent = new Map<string, string>();
  const isMarked = async (eventId: string): Promise<boolean> =>
    (await firestore.doc(`billing_events/${eventId}`).get()).exists;
  stripe.isStored = (uid) => {
    const eventId = sent.get(uid);
    return eventId !== undefined && isMarked(eventId);
  };
  const statuses = new Map<number, number>();

  function base(): string {
    turn += 1;
    return bases[turn % bases.length] ?? '';
  }

  async function send(uid: string, route: string, key: string | null, fields: object, by: Asker = 'user') {
    const response = await fetch(`${base()}/credits/${route}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(by === 'user'
          ? { authorization: `Bearer ${tokenOf(uid)}` }
          : { authorization: `Bearer ${TRUSTED.token}`, 'billing-user': uid }),
        ...(key !== null && { 'idempotency-key': key }),
      },
      body: JSON.stringify(fields),
    });
    const body = (await response.json()) as { balance: number | null; replayed: boolean; code: string };
    return { status: response.status, body };
  }

  async function spend(
    uid: string,
    route: string,
    key: string,
    fields: object,
    by: Asker = 'user',
  ): Promise<Consumed | null> {
    const { status, body } = await send(uid, route, key, fields, by);
    const { balance, replayed } = body;
    if (status === 500 || status === 503) return null;
    if (status === 402) return { outcome: 'exhausted', replayed, balance };
    if (status !== 200) throw new Error(`${route} was answered ${status}: ${JSON.stringify(body)}`);
    return { outcome: balance === null ? 'free' : 'granted', replayed, balance };
  }

  return {
    statuses,
    async store(documents) {
      const batch = firestore.batch();
      for (const [path, data] of documents) batch.set(firestore.doc(path), data);
      if (documents.size > 0) await batch.commit();
    },
    async deliver(event): Promise<Delivered> {
      const payload = JSON.stringify(event);
      sent.set(event.id.split('_')[1] ?? '', event.id);
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

    consume: (uid, key, feature) => spend(uid, 'consume', key, { feature }),
    reserve: (uid, { key, feature, cost, lifetime, by }) => {
      const fields = { feature, expiresInSeconds: lifetime / 1000 };
      return spend(uid, 'reserve', key, by === 'service' ? { ...fields, amount: cost } : fields, by);
    },

    async settle(uid, { reservation, as, by, used }): Promise<Settled | null> {
      const { status, body } = await send(uid, as, null, { reservation, ...used }, by);
      if (status === 500 || status === 503) return null;
      const outcome = status === 200 ? (as === 'release' ? as : 'confirm') : ENDS[body.code];
      if (outcome === undefined) throw new Error(`${as} was answered ${status}: ${JSON.stringify(body)}`);
      if (status === 200 && body.balance === null) return { outcome: 'free', replayed: false, balance: null };
      // A refusal does not say whether it was one before: it always was.
      const replayed = status === 200 ? body.replayed : outcome !== 'unknown' && outcome !== 'above_hold';
      return { outcome, replayed, balance: status === 200 ? body.balance : null };
    },

    now: () => Date.now(),
    state: (uid) => readState(firestore, uid),
    isMarked,
    paidClaim,
  };
}

/** How a reservation had ended, by the code of the refusal. Nothing expires here: it would take real time. */
const ENDS: Readonly<Record<string, Settled['outcome']>> = {
  // A user may not settle at all.
  caller_not_allowed: 'unknown',
  unknown_reservation: 'unknown',
  amount_above_hold: 'above_hold',
  reservation_confirmed: 'confirm',
  reservation_released: 'release',
  reservation_expired: 'expiry',
};
