import type { PricesResponse } from '@extension-billing/contract/api';
import type { StorageArea } from '../browser-storage.ts';
import type { BillingMessages, PricesResult } from '../messages.ts';
import { type KeptPrices, PRICES_KEY } from '../snapshot/snapshot.ts';
import type { Api } from './api.ts';

const TIMEOUT_MS = 10_000;

interface Prices {
  /** What each offer costs the user who is signed in. Kept for every page until `forget`. */
  tell(request: BillingMessages['billingPrices']['request']): Promise<PricesResult>;
  /** The user has signed out, or another has signed in: what was kept of them is removed when this settles. */
  forget(): Promise<void>;
}

interface PricesDeps {
  readonly api: Pick<Api, 'get'>;
  /** Who is signed in. */
  readonly uid: () => Promise<string | null>;
  readonly area: Pick<StorageArea, 'set' | 'remove'>;
  readonly now: () => number;
}

/**
 * What the service says that offers cost. The worker keeps it, and no page: only the worker knows that somebody has
 * signed out while the service was asked, and that answer is nobody's any more.
 */
export function createPrices({ api, uid: currentUid, area, now }: PricesDeps): Prices {
  return {
    async tell({ currency }) {
      const uid = await currentUid();
      if (uid === null) return { ok: false };
      const path = `/billing/prices${currency ? `?currency=${currency}` : ''}`;
      const answer = await api.get<PricesResponse>({ uid, path, timeoutMs: TIMEOUT_MS });
      if (answer.kind !== 'answered' || !Array.isArray(answer.body.prices)) return { ok: false };
      if ((await currentUid()) !== uid) return { ok: false };
      const { prices } = answer.body;
      const kept: KeptPrices = { uid, currency: currency ?? null, at: now(), prices };
      await area.set({ [PRICES_KEY]: kept });
      return { ok: true, uid, prices };
    },
    forget: () => area.remove(PRICES_KEY),
  };
}
