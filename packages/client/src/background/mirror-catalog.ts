import { PUBLISHED_FORM } from '@extension-billing/contract/published-catalog';
import type { FirebaseApp } from 'firebase/app';
import { doc, getFirestore, onSnapshot } from 'firebase/firestore';
import type { StorageArea } from '../browser-storage.ts';
import { createLinger, type LingerDeps } from './linger.ts';

/** The document as it is stored: what is in it is for the pages to read. */
type Published = Readonly<Record<string, unknown>>;

interface CatalogListener {
  /** What the server has published; undefined where it says that there is nothing. */
  readonly onPublished: (data: Published | undefined) => void;
  /** The listener is over. */
  readonly onError: () => void;
}
/** @returns the function that ends it */
type ListenToCatalog = (listener: CatalogListener) => () => void;

/** @param app whose emulator, where there is one, `createListenToCustomer` has connected */
export function createListenToCatalog(app: FirebaseApp): ListenToCatalog {
  return ({ onPublished, onError }) =>
    onSnapshot(
      doc(getFirestore(app), 'billing_catalog', 'current'),
      {},
      // An offline start reports an empty document from the cache, which would look like "nothing is published".
      (snapshot) => void (snapshot.metadata.fromCache || onPublished(snapshot.data())),
      onError,
    );
}

/** Keeps what is published beside the snapshot, for every page: what they show is then what the service charges. */
export interface CatalogMirror {
  /** Only who is signed in may listen. What is stored stays afterwards. */
  follow(isSignedIn: boolean): void;
  /** Somebody looks: listens until nobody does. Where a listener ended, begins another. */
  ensure(): void;
}

interface MirrorDeps extends LingerDeps {
  readonly listen: ListenToCatalog;
  readonly area: StorageArea;
  /** Where it is kept in `area` (catalogPlace). */
  readonly key: string;
}

export function createCatalogMirror({ listen, area, key, now, later }: MirrorDeps): CatalogMirror {
  let isAllowed = false;
  let stop: (() => void) | null = null;
  let latest: Published | undefined;
  const watched = createLinger({ now, later }, end);

  function keep(data: Published | undefined): Promise<void> {
    if (data === undefined) return area.remove(key);
    const { form, version, catalog } = data;
    // What this version cannot read leaves the last one that it could.
    return form === PUBLISHED_FORM ? area.set({ [key]: { form, version, catalog } }) : Promise.resolve();
  }
  /** Stores it again after an extension or its user cleared the storage. */
  async function restore(): Promise<void> {
    if (latest === undefined || key in (await area.get(key))) return;
    await keep(latest);
  }
  function attach(): void {
    if (!isAllowed || stop !== null || !watched.isOn()) return;
    stop = listen({
      // A full or broken storage: pages go by what they have.
      onPublished: (data) => {
        latest = data;
        void keep(data).catch(() => {});
      },
      onError: () => {
        stop = null;
      },
    });
  }
  function end(): void {
    stop?.();
    stop = null;
  }

  return {
    follow(isSignedIn) {
      isAllowed = isSignedIn;
      if (isSignedIn) attach();
      else end();
    },
    ensure() {
      watched.extend();
      void restore().catch(() => {});
      attach();
    },
  };
}
