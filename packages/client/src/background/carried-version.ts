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
  /** What is kept of anybody but this user goes, and what an answer for them brings later is not kept; null: of anybody. */
  forgetOthers(uid: string | null): Promise<void>;
}

/**
 * Keeps what the header `Billing-Version` of the last answer brought, over the worker's death too: with it a consume
 * costs the service one call at whichever instance it comes to. It is sealed for its user, and nobody else's.
 */
export function createCarriedVersion(area: StorageArea): CarriedVersion {
  let known: Carried | null = null;
  /** Whose is kept; undefined: nobody has come or gone since the worker started. */
  let owner: string | null | undefined;
  const keep = (news: Carried | null): void => {
    if (owner === undefined || news?.uid === owner) known ??= news;
  };
  const read = async (): Promise<void> => {
    const { [STORAGE_KEY]: value } = await area.get(STORAGE_KEY);
    keep(isCarried(value) ? value : null);
  };
  return {
    async of(uid) {
      if (known === null) await within(WAIT_MS, read(), undefined);
      return known?.uid === uid ? known.version : null;
    },
    brought(uid, version) {
      if (owner !== undefined && owner !== uid) return;
      known = { uid, version };
      void area.set({ [STORAGE_KEY]: known });
    },
    async forgetOthers(uid) {
      owner = uid;
      if (known?.uid === uid) return;
      known = null;
      await read();
      if (known === null) await area.remove(STORAGE_KEY);
    },
  };
}

function isCarried(value: unknown): value is Carried {
  const { uid, version } = (value ?? {}) as Partial<Record<keyof Carried, unknown>>;
  return typeof uid === 'string' && typeof version === 'string';
}
