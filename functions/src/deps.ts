import type { Scope } from '@extension-billing/contract/callers';
import type { Catalog } from '@extension-billing/contract/catalog';
import type { Millis } from '@extension-billing/contract/customer';
import { getApps, initializeApp } from 'firebase-admin/app';
import { type Auth, getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import type { JWTVerifyGetKey } from 'jose';
import type { Config } from './config.ts';
import { type Log, log } from './log.ts';
import { liveCatalog } from './store/catalog.ts';
import { connectStripe, type StripeClient } from './stripe/client.ts';

/** Everything from outside that the app works with, so that a test can put another in its place. */
export interface AppDeps {
  readonly config: Config;
  readonly firestore: Firestore;
  readonly auth: Pick<Auth, 'verifyIdToken' | 'getUser' | 'getUsers' | 'setCustomUserClaims' | 'deleteUser'>;
  /** Loaded at its first use: the SDK costs start-up time that consume never needs. */
  readonly stripe: () => Promise<StripeClient>;
  /** What is sold and what a feature costs, as it is in force now: the same for all of one request's work if taken once. */
  readonly catalog: () => Catalog;
  /** Whether an import found that others let users write metadata; absent: only the setting says (config.ts). */
  readonly sharesAccount?: () => boolean;
  /** Settles when `catalog` is fresh enough to be gone by; it never rejects. */
  readonly catalogReady: () => Promise<void>;
  readonly now: () => Millis;
  readonly log: Log;
  /** The keys that Google signs ID tokens of service accounts with; absent: Google's own. No setting replaces them. */
  readonly googleKeys?: JWTVerifyGetKey;
  /**
   * The host of this app, which calls it in its own process: a bearer that is `token` is the service `process:<name>`.
   * Only who makes the app can say so; no setting of the environment does.
   */
  readonly trusted?: { readonly token: string; readonly name: string; readonly scopes: readonly Scope[] };
}

/**
 * The real ones: the Firebase project, or the emulators that the environment names, and the provider. Each SDK is made
 * when a request first needs it; the bundle also loads it only then (bundle/load-late.ts).
 *
 * @param embedded the catalogue that the service was built with, in force while none is published
 * @param prepare the database's client before its first use
 */
export function connectDeps(
  config: Config,
  embedded: Catalog,
  prepare: (firestore: Firestore) => Firestore = (firestore) => firestore,
): AppDeps {
  const firebase = once(() => getApps()[0] ?? initializeApp());
  const firestore = once(() => {
    // Its spans cost a tenth of a consume's processor time and mostly nobody collects them; "on" has them made.
    process.env.FIRESTORE_ENABLE_TRACING ??= 'off';
    return prepare(getFirestore(firebase()));
  });
  const auth = once(() => getAuth(firebase()));
  const now = () => Date.now();
  const live = once(() => liveCatalog({ firestore, embedded, now, log }));
  return {
    config,
    get firestore() {
      return firestore();
    },
    get auth() {
      return auth();
    },
    stripe: once(() => connectStripe(config)),
    catalog: () => live().current(),
    sharesAccount: () => live().sharesAccount(),
    catalogReady: () => live().ready(),
    now,
    log,
  };
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
