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
  out(): Promise<AuthResult>;
}

export interface SignInDeps extends GuestDeps {
  readonly session: AuthSession;
  /** null: this build has no Google sign-in. */
  readonly google: GoogleClient | null;
  /** Makes room for the user's snapshot before the sign-in is answered. */
  readonly onSignedIn: (uid: string) => Promise<void>;
  readonly onSignedOut: () => Promise<void>;
}

/** A guest who signs up keeps all they bought (docs/decisions/0067-guests.md). */
export function createSignIn(deps: SignInDeps): SignIn {
  const { session, google, onSignedIn, onSignedOut } = deps;
  const guest = createGuest(deps);
  const refuse = (failure: AuthFailure): AuthResult => ({ ok: false, ...failure });

  async function attempt(signIn: () => Promise<UserCredential | AuthFailure>): Promise<AuthResult> {
    await session.ready();
    try {
      const answer = await signIn();
      if (!('user' in answer)) return refuse(answer);
      session.renewed();
      await onSignedIn(answer.user.uid);
      return { ok: true, user: toSessionUser(answer.user) };
    } catch (error) {
      return refuse(authFailureOf(error));
    }
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
        return linked ?? createUserWithEmailAndPassword(session.auth, email, password);
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
    asGuest: () => attempt(() => signInAnonymously(session.auth)),
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
    async out() {
      await session.ready();
      await session.signOut();
      await onSignedOut();
      return { ok: true, user: null };
    },
  };
}
