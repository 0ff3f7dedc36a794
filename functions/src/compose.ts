import type { Express } from 'express';
import { getApps, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { type Firestore, getFirestore } from 'firebase-admin/firestore';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import type { AppDeps } from './deps.ts';
import { log } from './log.ts';
import { lazyStripe } from './provider/client.ts';
import { checkDaily } from './reconcile/check-daily.ts';
import { boundCalls } from './store/bounded-calls.ts';

/** The app on the real Firebase project (or the emulators that the environment names) and provider. */
export function composeApp(config: Config): Express {
  return createApp(composeDeps(config, boundCalls));
}

/** The daily comparison with the provider, on the same. */
export async function composeDailyCheck(config: Config): Promise<void> {
  await checkDaily(composeDeps(config, (firestore) => firestore));
}

/**
 * Each SDK is made when a request first needs it; the bundle also loads it only then (bundle/load-late.ts).
 *
 * @param prepare the database's client before its first use: nobody waits for a scheduled job, so it may take its time
 */
function composeDeps(config: Config, prepare: (firestore: Firestore) => Firestore): AppDeps {
  const firebase = once(() => getApps()[0] ?? initializeApp());
  const firestore = once(() => {
    // Its spans cost a tenth of a consume's processor time and mostly nobody collects them; "on" has them made.
    process.env.FIRESTORE_ENABLE_TRACING ??= 'off';
    return prepare(getFirestore(firebase()));
  });
  const auth = once(() => getAuth(firebase()));
  return {
    config,
    get firestore() {
      return firestore();
    },
    get auth() {
      return auth();
    },
    stripe: lazyStripe(config),
    now: () => Date.now(),
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
