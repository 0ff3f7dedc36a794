import type { FirebaseApp } from 'firebase/app';
import {
  type Auth,
  connectAuthEmulator,
  initializeAuth,
  onAuthStateChanged,
  signOut,
} from 'firebase/auth/web-extension';
import type { SessionReply, SessionUser } from '../messages.ts';
import { within } from '../within.ts';
import { type AuthFailure, authFailureOf } from './auth-failure.ts';
import type { BillingConfig } from './config.ts';
import { guardPersistence } from './guarded-persistence.ts';

/** IndexedDB has been seen to hang (firebase-js-sdk#8481): then the session is treated as unknown, not as ended. */
const RESTORE_WITHIN_MS = 5_000;
const TOKEN_WITHIN_MS = 10_000;
/** After the SDK dropped the user, how long until it is handed the stored one again. */
const RESTORE_AGAIN_AFTER_MS = 60_000;

export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'signed_out' | 'account_changed' | 'unreachable' | 'unavailable' };

export interface AuthSession {
  readonly auth: Auth;
  /** Who is signed in, as stored: right also while the auth service is down. */
  session(): Promise<SessionReply>;
  /** An ID token for this user and no other, renewed when it is old or `renew` is set. */
  token(uid: string, renew?: boolean): Promise<TokenAnswer>;
  /** Calls the listener with the restored user's id, then at every change. */
  onUser(listener: (uid: string | null) => void): void;
  /** Settles when the stored user was handed to the SDK. */
  ready(): Promise<void>;
  /** A sign-in succeeded: the session is good again. */
  renewed(): void;
  signOut(): Promise<void>;
}

export function createAuthSession(app: FirebaseApp, config: BillingConfig): AuthSession {
  const guard = guardPersistence(config.firebase.apiKey, app.name);
  const auth = initializeAuth(app, { persistence: guard.persistence });
  if (config.authEmulatorUrl !== undefined) {
    connectAuthEmulator(auth, config.authEmulatorUrl, { disableWarnings: true });
  }
  let expired = false;
  let restoredAt = 0;

  const restore = async (): Promise<void> => {
    restoredAt = Date.now();
    await guard.restore();
  };
  const restored = auth.authStateReady().then(restore);
  const ready = async (): Promise<void> => {
    await within(RESTORE_WITHIN_MS, restored, undefined);
    if (auth.currentUser === null && Date.now() - restoredAt > RESTORE_AGAIN_AFTER_MS) {
      await within(RESTORE_WITHIN_MS, restore(), undefined);
    }
  };

  return {
    auth,
    ready,
    async session() {
      await ready();
      const user = auth.currentUser === null ? await guard.peek() : toSessionUser(auth.currentUser);
      return { user, expired: user !== null && expired };
    },
    async token(uid, renew = false) {
      await ready();
      const user = auth.currentUser;
      if (user === null) return { kind: 'signed_out' };
      if (user.uid !== uid) return { kind: 'account_changed' };
      try {
        const token = await within(TOKEN_WITHIN_MS, user.getIdToken(renew), null);
        if (token === null) return { kind: 'unavailable' };
        // Who left while it was fetched asks for nothing any more.
        if (auth.currentUser === null) return { kind: 'signed_out' };
        if (auth.currentUser.uid !== uid) return { kind: 'account_changed' };
        expired = false;
        return { kind: 'token', token };
      } catch (error) {
        const answer = tokenFailure(authFailureOf(error));
        expired ||= answer.kind === 'signed_out';
        return answer;
      }
    },
    onUser(listener) {
      void restored.then(() => onAuthStateChanged(auth, (user) => listener(user?.uid ?? null)));
    },
    renewed() {
      expired = false;
    },
    signOut: () => guard.permitRemoval(() => signOut(auth)),
  };
}

function tokenFailure(failure: AuthFailure): TokenAnswer {
  switch (failure.code) {
    case 'network':
      return { kind: 'unreachable' };
    case 'session_expired':
    case 'account_disabled':
      return { kind: 'signed_out' };
    default:
      return { kind: 'unavailable' };
  }
}

export function toSessionUser(user: SessionUser): SessionUser {
  return { uid: user.uid, email: user.email, displayName: user.displayName, isAnonymous: user.isAnonymous };
}
