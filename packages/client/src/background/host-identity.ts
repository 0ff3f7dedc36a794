import type { SessionUser } from '../messages.ts';
import { fieldsOf, payloadOf } from './token-payload.ts';

/**
 * The accounts of an extension or web app that has its own. Billing then has no sign-in: it serves the user whom the
 * host named last, with the ID tokens that the host returns for them.
 */
export interface HostIdentity {
  /**
   * Called once, when billing starts. Call `tell` as soon as you know who is signed in, and at every change; null means
   * that nobody is. A `User` of Firebase's SDK can be passed as it is: `(tell) => onAuthStateChanged(auth, tell)`.
   */
  readonly onUser: (tell: (user: HostUser | null) => void) => unknown;
  /**
   * Returns a Firebase ID token of billing's project for this user; null if their session has ended. `renew`: the last
   * token was refused or is out of date, so one from your cache doesn't help. Timeout 10 s; may throw, and is then
   * called again later.
   */
  readonly idToken: (uid: string, renew: boolean) => Promise<string | null>;
}

/** A user of the host's. */
export interface HostUser {
  /** The user's id in Firebase: 1 to 128 characters, no `/`. */
  readonly uid: string;
  /** For the pages, which show who is signed in. */
  readonly email?: string | null;
  readonly displayName?: string | null;
  /** A guest of the host's. */
  readonly isAnonymous?: boolean;
}

/** Returns the user whom the host told; `undefined` if it is neither a user nor null. */
export function readTold(given: unknown): SessionUser | null | undefined {
  if (given === null) return null;
  const { uid, email, displayName, isAnonymous } = fieldsOf(given);
  if (typeof uid !== 'string' || !/^[^/]{1,128}$/.test(uid)) return undefined;
  return { uid, email: text(email), displayName: text(displayName), isAnonymous: isAnonymous === true };
}

/** Returns why the host's token can't be used for this user; null if it can. */
export function flawOfToken(token: unknown, uid: string, projectId: string): string | null {
  const { sub, aud } = payloadOf(token);
  if (sub === undefined) return 'idToken returned something that is no ID token';
  if (sub !== uid) return 'idToken returned a token of another user than it was asked for';
  if (aud !== projectId)
    return `idToken returned a token of the project ${String(aud)}, but billing is in ${projectId}`;
  return null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
