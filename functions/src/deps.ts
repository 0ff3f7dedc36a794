import type { Millis } from '@extension-billing/contract/customer';
import type { Auth } from 'firebase-admin/auth';
import type { Firestore } from 'firebase-admin/firestore';
import type { Stripe } from 'stripe';
import type { Config } from './config.ts';
import type { LogEventAt, LogFields } from './log-events.ts';

/** One structured line per call: an event of log-events.ts with fields of it, which never hold secrets or tokens. */
export interface Logger {
  info<Event extends LogEventAt<'info'>>(event: Event, fields?: LogFields<Event>): void;
  warn<Event extends LogEventAt<'warn'>>(event: Event, fields?: LogFields<Event>): void;
  error<Event extends LogEventAt<'error'>>(event: Event, fields?: LogFields<Event>): void;
}

/** The log of the service, and of each request in it. */
export interface Log extends Logger {
  /** The same, with the name of a request in every line (http/correlate.ts). */
  of(correlationId: string): Log;
}

/** Everything from outside that the app works with, so that a test can put another in its place. */
export interface AppDeps {
  readonly config: Config;
  readonly firestore: Firestore;
  readonly auth: Pick<Auth, 'verifyIdToken' | 'getUser' | 'setCustomUserClaims' | 'deleteUser'>;
  /** Loaded at its first use: the SDK costs start-up time that consume never needs. */
  readonly stripe: () => Promise<Stripe>;
  readonly now: () => Millis;
  readonly log: Log;
}
