import type { Express } from 'express';
import { getApps, initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { getFirestore } from 'firebase-admin/firestore';
import { createApp } from './app.ts';
import type { Config } from './config.ts';
import { log } from './log.ts';
import { lazyStripe } from './provider/client.ts';

/** The app on the real Firebase project (or the emulators that the environment names) and provider. */
export function composeApp(config: Config): Express {
  const firebase = getApps()[0] ?? initializeApp();
  return createApp({
    config,
    firestore: getFirestore(firebase),
    auth: getAuth(firebase),
    stripe: lazyStripe(config),
    now: () => Date.now(),
    log,
  });
}
