import {
  createUserWithEmailAndPassword,
  GoogleAuthProvider,
  signInWithCredential,
  signInWithEmailAndPassword,
  type UserCredential,
} from 'firebase/auth/web-extension';
import type { AuthResult } from '../messages.ts';
import { type AuthFailure, authFailure, authFailureOf } from './auth-failure.ts';
import { type AuthSession, toSessionUser } from './auth-session.ts';
import { type GoogleClient, requestGoogleIdToken } from './google-id-token.ts';

export interface SignIn {
  withPassword(email: string, password: string): Promise<AuthResult>;
  withNewAccount(email: string, password: string): Promise<AuthResult>;
  withGoogle(): Promise<AuthResult>;
  out(): Promise<AuthResult>;
}

export interface SignInDeps {
  readonly session: AuthSession;
  /** null: this build has no Google sign-in. */
  readonly google: GoogleClient | null;
  /** Makes room for the user's snapshot before the sign-in is answered. */
  readonly onSignedIn: (uid: string) => Promise<void>;
  readonly onSignedOut: () => Promise<void>;
}

export function createSignIn({ session, google, onSignedIn, onSignedOut }: SignInDeps): SignIn {
  const refuse = (failure: AuthFailure): AuthResult => ({ ok: false, ...failure });

  async function attempt(signIn: () => Promise<UserCredential>): Promise<AuthResult> {
    await session.ready();
    try {
      const { user } = await signIn();
      session.renewed();
      await onSignedIn(user.uid);
      return { ok: true, user: toSessionUser(user) };
    } catch (error) {
      return refuse(authFailureOf(error));
    }
  }

  return {
    withPassword: (email, password) =>
      attempt(() => signInWithEmailAndPassword(session.auth, email, password)),
    withNewAccount: (email, password) =>
      attempt(() => createUserWithEmailAndPassword(session.auth, email, password)),
    async withGoogle() {
      if (google === null) return refuse(authFailure('not_configured'));
      const answer = await requestGoogleIdToken(google);
      if (!answer.ok) return refuse(authFailure(answer.reason));
      return attempt(() => signInWithCredential(session.auth, GoogleAuthProvider.credential(answer.idToken)));
    },
    async out() {
      await session.ready();
      await session.signOut();
      await onSignedOut();
      return { ok: true, user: null };
    },
  };
}
