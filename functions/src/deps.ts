import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { Config } from './config.ts';
import type { Millis } from './contract/customer.ts';

/** One structured line per call. `event` is a stable snake_case name; fields never hold secrets or tokens. */
export interface Logger {
  info(event: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields?: Readonly<Record<string, unknown>>): void;
  error(event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Everything from outside that the app works with, so that a test can put another in its place. */
export interface AppDeps {
  readonly config: Config;
  readonly firestore: Firestore;
  readonly auth: Pick<Auth, 'verifyIdToken' | 'getUser' | 'setCustomUserClaims' | 'deleteUser'>;
  /** Loaded at its first use: the SDK costs start-up time that consume never needs. */
  readonly stripe: () => Promise<Stripe>;
  readonly now: () => Millis;
  readonly log: Logger;
}
