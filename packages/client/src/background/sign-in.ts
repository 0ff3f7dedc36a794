import {
  createUserWithEmailAndPassword,
  EmailAuthProvider,
  GoogleAuthProvider,
  sendPasswordResetEmail,
  signInAnonymously,
  signInWithCredential,
  signInWithEmailAndPassword,
  type UserCredential,
} from 'firebase/auth/web-extension';
import type { AuthResult } from '../messages.ts';
import { within } from '../within.ts';
import { type AuthFailure, authFailure, authFailureOf } from './auth-failure.ts';
import { type AuthSession, toSessionUser } from './auth-session.ts';
import { type GoogleClient, requestGoogleIdToken } from './google-id-token.ts';
import { createGuest, type GuestDeps } from './guest.ts';

export interface SignIn {
  withPassword(email: string, password: string, leaveGuest: boolean): Promise<AuthResult>;
  withNewAccount(email: string, password: string): Promise<AuthResult>;
  withGoogle(leaveGuest: boolean): Promise<AuthResult>;
  asGuest(): Promise<AuthResult>;
  resetPassword(email: string): Promise<AuthResult>;
  /** Refused for a guest who would lose something, unless that is to be discarded. */
  out(discard?: boolean): Promise<AuthResult>;
}

export interface SignInDeps extends GuestDeps {
  readonly session: AuthSession;
  /** null: this build has no Google sign-in. */
  readonly google: GoogleClient | null;
  /** Makes room for the user's snapshot before the sign-in is answered. */
  readonly onSignedIn: (uid: string) => Promise<void>;
  readonly onSignedOut: () => Promise<void>;
}

/** The auth service answers in seconds; a storage that hangs does not answer at all. */
const ANSWER_WITHIN_MS = 30_000;

/** A guest who signs up keeps all they bought (docs/decisions/0067-guests.md). */
export function createSignIn(deps: SignInDeps): SignIn {
  const { session, google, onSignedIn, onSignedOut } = deps;
  const guest = createGuest(deps);
  const refuse = (failure: AuthFailure): AuthResult => ({ ok: false, ...failure });

  async function attempt(signIn: () => Promise<UserCredential | AuthFailure>): Promise<AuthResult> {
    if (!(await session.ready())) return refuse(authFailure('storage_unavailable'));
    try {
      const answer = await within(ANSWER_WITHIN_MS, signIn(), authFailure('unavailable'));
      if (!('user' in answer)) return refuse(answer);
      session.renewed();
      await onSignedIn(answer.user.uid);
      return { ok: true, user: toSessionUser(answer.user) };
    } catch (error) {
      return refuse(authFailureOf(error));
    }
  }

  /** A guest whom the SDK has lost for a moment must not be replaced unseen; one whose session has ended may be. */
  async function refusalToReplace(): Promise<AuthFailure | null> {
    const { expired } = await session.session();
    return session.auth.currentUser === null && !expired ? guest.refusalToLeave(false) : null;
  }

  return {
    withPassword: (email, password, leaveGuest) =>
      attempt(
        async () =>
          (await guest.refusalToLeave(leaveGuest)) ??
          signInWithEmailAndPassword(session.auth, email, password),
      ),
    withNewAccount: (email, password) =>
      attempt(async () => {
        const linked = await guest.become(EmailAuthProvider.credential(email, password));
        if (linked === 'taken') return authFailure('email_in_use');
        return (
          linked ??
          (await refusalToReplace()) ??
          createUserWithEmailAndPassword(session.auth, email, password)
        );
      }),
    async withGoogle(leaveGuest) {
      if (google === null) return refuse(authFailure('not_configured'));
      const answer = await requestGoogleIdToken(google);
      if (!answer.ok) return refuse(authFailure(answer.reason));
      const credential = GoogleAuthProvider.credential(answer.idToken);
      return attempt(async () => {
        const linked = await guest.become(credential);
        if (linked !== null && linked !== 'taken') return linked;
        return (await guest.refusalToLeave(leaveGuest)) ?? signInWithCredential(session.auth, credential);
      });
    },
    asGuest: () => attempt(async () => (await refusalToReplace()) ?? signInAnonymously(session.auth)),
    async resetPassword(email) {
      await session.ready();
      try {
        await sendPasswordResetEmail(session.auth, email);
      } catch (error) {
        const failure = authFailureOf(error);
        // Where there is no such account: which there are is nobody's business.
        if (failure.code !== 'invalid_credentials') return refuse(failure);
      }
      return { ok: true, user: (await session.session()).user };
    },
    async out(discard = false) {
      if (!(await session.ready())) return refuse(authFailure('storage_unavailable'));
      const refusal = await guest.refusalToLeave(discard);
      if (refusal !== null) return refuse(refusal);
      await within(ANSWER_WITHIN_MS, session.signOut(), undefined);
      await onSignedOut();
      return { ok: true, user: null };
    },
  };
}
