import { fieldsOf, payloadOf } from './token-payload.ts';

/**
 * Who says who is signed in, where an extension has accounts already. Billing then has no sign-in of its own: it serves
 * whom the host names, from the moment at which the host names them, and nobody while the host names nobody.
 */
export type HostIdentity = FirebaseIdentity | CustomTokenIdentity;

/** The host has a Firebase Auth instance of its own, of any version of the SDK, in billing's project. */
export interface FirebaseIdentity {
  readonly kind: 'firebase';
  /**
   * Called once, when the worker starts. Call `tell` whenever who is signed in has changed, and at each start once it is
   * known: with `user.toJSON()`, or null for nobody. With the SDK in this worker:
   * `(tell) => onIdTokenChanged(getAuth(), (user) => tell(user?.toJSON() ?? null))`.
   */
  readonly onUser: (tell: (user: object | null) => void) => unknown;
}

/** The host has accounts elsewhere, and a server that makes Firebase's custom tokens for them. */
export interface CustomTokenIdentity {
  readonly kind: 'custom-token';
  /** Called once, when the worker starts. Call `tell` at each start once it is known, and at every change. */
  readonly onUser: (tell: (user: CustomTokenUser | null) => void) => unknown;
  /**
   * A custom token for this user (`createCustomToken(uid)` of the Admin SDK), fetched from the host's server. Asked for
   * when they sign in and when the session was taken back, not at each start. It has 10 s, and may throw.
   */
  readonly customToken: (uid: string) => Promise<string>;
}

/** Whom the host has signed in, by its own accounts. */
export interface CustomTokenUser {
  /** The user's id in Firebase: 1 to 128 characters, no `/`. */
  readonly uid: string;
  /** For the pages, which show who is signed in. */
  readonly email?: string | null;
  readonly displayName?: string | null;
}

/** Whom the host named. `account`: what Firebase's SDK stores of them; null where none that can be used was handed in. */
export interface ToldUser {
  readonly uid: string;
  readonly email: string | null;
  readonly displayName: string | null;
  readonly isAnonymous: boolean;
  readonly account: HandedAccount | null;
}
export interface HandedAccount {
  readonly json: object;
  readonly refreshToken: string;
}

/**
 * What the host told, or why it cannot be used: then nobody is signed in, rather than whoever was before.
 *
 * @param projectId billing's: a user of another project would be refused everything.
 */
export function readTold(
  given: unknown,
  kind: HostIdentity['kind'],
  projectId: string,
): { readonly user: ToldUser | null; readonly flaw: string | null } {
  if (given === null) return { user: null, flaw: null };
  const json = plain(given);
  const { uid, email, displayName, isAnonymous, stsTokenManager } = json;
  if (typeof uid !== 'string' || !/^[^/]{1,128}$/.test(uid)) {
    return { user: null, flaw: 'onUser told something that is neither a user with a uid nor null' };
  }
  const user = {
    uid,
    email: text(email),
    displayName: text(displayName),
    isAnonymous: isAnonymous === true,
    account: null,
  };
  if (kind === 'custom-token') return { user, flaw: null };
  const { accessToken, refreshToken } = fieldsOf(stsTokenManager);
  const { aud, sub } = payloadOf(accessToken);
  if (typeof refreshToken !== 'string' || sub !== uid) {
    return { user, flaw: 'onUser told a user without their tokens: give it user.toJSON()' };
  }
  if (aud !== projectId) {
    return { user, flaw: `onUser told a user of the project ${String(aud)}, but billing is in ${projectId}` };
  }
  return { user: { ...user, account: { json, refreshToken } }, flaw: null };
}

/** Why a custom token cannot be used for this user; null where it can. */
export function flawOfToken(token: unknown, uid: string): string | null {
  const { uid: holder } = payloadOf(token);
  if (holder === uid) return null;
  return holder === undefined
    ? 'customToken gave something that is no custom token'
    : 'customToken gave a token of another user than it was asked for';
}

/** A user of the SDK's is taken as well as what their `toJSON()` gives. */
function plain(given: unknown): Readonly<Record<string, unknown>> {
  const { toJSON } = fieldsOf(given);
  return fieldsOf(typeof toJSON === 'function' ? toJSON.call(given) : given);
}
function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
