import type { StorageArea } from '../browser-storage.ts';
import { within } from '../promises.ts';

/** Where the worker after this one finds it. */
const STORAGE_KEY = 'billingVersion';
/** Its storage may be slow, and a request is not held up for help that it can do without. */
const WAIT_MS = 50;

/** What the service last sealed for one user. */
interface Carried {
  readonly uid: string;
  readonly version: string;
}

export interface CarriedVersion {
  /** What to send with this user's next request of credits; null: nothing is known. */
  of(uid: string): Promise<string | null>;
  /** An answer of credits for this user brought it. */
  brought(uid: string, version: string): void;
}

/**
 * Keeps what the header `Billing-Version` of the last answer brought, over the worker's death too: with it a consume
 * costs the service one call at whichever instance it comes to. It is sealed for its user, and nobody else's.
 */
export function createCarriedVersion(area: Pick<StorageArea, 'get' | 'set'>): CarriedVersion {
  let known: Carried | null | undefined;
  const stored = async (): Promise<Carried | null> => {
    const { [STORAGE_KEY]: value } = await area.get(STORAGE_KEY);
    return isCarried(value) ? value : null;
  };
  return {
    async of(uid) {
      known ??= await within(WAIT_MS, stored(), null);
      return known?.uid === uid ? known.version : null;
    },
    brought(uid, version) {
      known = { uid, version };
      void area.set({ [STORAGE_KEY]: known });
    },
  };
}

function isCarried(value: unknown): value is Carried {
  const { uid, version } = (value ?? {}) as Partial<Record<keyof Carried, unknown>>;
  return typeof uid === 'string' && typeof version === 'string';
}
