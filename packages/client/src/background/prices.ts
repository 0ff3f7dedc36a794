import type { PricesResponse } from '@extension-billing/contract/api';
import type { BillingMessages, PricesResult } from '../messages.ts';
import type { Api } from './api.ts';

const TIMEOUT_MS = 10_000;

type Prices = (request: BillingMessages['billingPrices']['request']) => Promise<PricesResult>;

interface PricesDeps {
  readonly api: Pick<Api, 'get'>;
  /** Who is signed in. */
  readonly uid: () => Promise<string | null>;
}

/** What each offer costs the user who is signed in, as the service tells it: pages look at it, and nothing is kept here. */
export function createPrices({ api, uid: currentUid }: PricesDeps): Prices {
  return async ({ currency }) => {
    const uid = await currentUid();
    if (uid === null) return { ok: false };
    const path = `/billing/prices${currency ? `?currency=${currency}` : ''}`;
    const answer = await api.get<PricesResponse>({ uid, path, timeoutMs: TIMEOUT_MS });
    if (answer.kind !== 'answered' || !Array.isArray(answer.body.prices)) return { ok: false };
    return { ok: true, uid, prices: answer.body.prices };
  };
}
