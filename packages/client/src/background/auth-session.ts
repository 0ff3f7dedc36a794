import { type ClaimedRights, isSameRights } from '@extension-billing/contract/customer';
import type { FirebaseApp } from 'firebase/app';
import {
  type Auth,
  connectAuthEmulator,
  initializeAuth,
  onAuthStateChanged,
  signOut,
} from 'firebase/auth/web-extension';
import type { SessionReply, SessionUser } from '../messages.ts';
import { guardPersistence } from '../patches/guarded-persistence.ts';
import { within } from '../promises.ts';
import { type AuthFailure, authFailureOf } from './auth-failure.ts';
import type { BillingConfig } from './config.ts';
import { type SessionNews, sessionUserOf } from './session-memory.ts';
import type { SignOutMark } from './sign-out-mark.ts';
import { payloadOf } from './token-payload.ts';

/** IndexedDB has been seen to hang (firebase-js-sdk#8481): then the session is treated as unknown, not as ended. */
const RESTORE_WITHIN_MS = 3_000;
const TOKEN_WITHIN_MS = 10_000;
/** After the SDK dropped the user, how long until it is handed the stored one again. */
const RESTORE_AGAIN_AFTER_MS = 60_000;

export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'signed_out' | 'account_changed' | 'unreachable' | 'unavailable' };

/** Who is signed in, whoever's accounts they are. */
export interface Session {
  /** Who is signed in, as stored: right also while the auth service is down. Answers within seconds. */
  session(): Promise<SessionReply>;
  /** An ID token for this user and no other, renewed when it is old or `renew` is set. */
  token(uid: string, renew?: boolean): Promise<TokenAnswer>;
  /** Whether the service took this user's token: one that it refuses though it was just renewed ends the session. */
  judged(uid: string, accepted: boolean): void;
  /** Calls the listener with the restored user's id, then at every change. */
  onUser(listener: (uid: string | null) => void): void;
}

/** A session of billing's own accounts. */
export interface AuthSession extends Session {
  readonly auth: Auth;
  /** Settles when the stored user was handed to the SDK: false where the browser's storage does not answer. */
  ready(): Promise<boolean>;
  /** A sign-in succeeded: the session is good again. */
  renewed(): void;
  /** Another tab may have signed somebody in or out: takes over the user who is stored now. */
  follow(): Promise<void>;
  /** Marks the stored user as signed out, for the next worker if this one dies before `signOut` is done. */
  beginSignOut(): Promise<void>;
  signOut(): Promise<void>;
}

interface UserKeep {
  /** Where the user is kept; on the disk by default. */
  readonly where?: 'disk' | 'memory' | undefined;
  readonly mark?: SignOutMark;
}

export function createAuthSession(
  app: FirebaseApp,
  config: BillingConfig,
  news: SessionNews,
  { where = 'disk', mark }: UserKeep = {},
): AuthSession {
  const guard = guardPersistence(config.firebase.apiKey, app.name, { where, formerOf: news.mirroredUid });
  const auth = initializeAuth(app, { persistence: guard.persistence });
  if (config.authEmulatorUrl !== undefined) {
    connectAuthEmulator(auth, config.authEmulatorUrl, { disableWarnings: true });
  }
  /** Who refuses this user: the auth service a token, or the billing service the token it gave. */
  let refusal: { readonly uid: string; readonly by: 'auth' | 'api' } | null = null;
  let leaving = false;
  let restoredAt = 0;
  /** `late`: the browser's database does not answer, or cannot be opened. */
  let restoring: 'waiting' | 'done' | 'late' = 'waiting';

  /** The last user whom the SDK had; still there after it has dropped them. */
  let last: SessionUser | null = null;

  const refuse = (uid: string, by: 'auth' | 'api'): void => {
    refusal = { uid, by };
    // Who has come meanwhile is not the one who was refused.
    news.tell({ user: last, expired: last === null || last.uid === uid });
  };
  const forgive = (): void => {
    refusal = null;
    news.tell({ user: last, expired: false });
  };

  const storedUser = async (): Promise<SessionUser | null> => sessionUserOf(await guard.peek());
  const restore = async (): Promise<void> => {
    restoredAt = Date.now();
    await guard.restore();
  };
  const restored = begin().catch(() => {
    restoring = 'late';
  });
  async function begin(): Promise<void> {
    await auth.authStateReady();
    const before = await news.last();
    await restore();
    await finishSignOut();
    // Where the database cannot be opened the SDK goes on in memory with nobody, as if somebody had signed out.
    if (auth.currentUser === null) await guard.peek();
    const uid = auth.currentUser?.uid;
    // The worker before this one was refused, and nothing has changed since.
    if (uid !== undefined && before?.expired === true && before.user?.uid === uid)
      refusal = { uid, by: 'auth' };
    restoring = 'done';
    watchForLoss();
  }
  async function removeUser(): Promise<void> {
    leaving = true;
    try {
      await guard.permitRemoval(() => signOut(auth));
    } finally {
      leaving = false;
    }
  }
  /** Of a worker that died during one, or of another tab that is at it. */
  async function finishSignOut(): Promise<void> {
    const uid = (await mark?.uid()) ?? null;
    if (uid === null) return;
    if ((await storedUser())?.uid === uid) await removeUser();
    await mark?.clear();
  }
  /** The SDK drops a user whose token the auth service refuses, also when Firestore asked for it. */
  function watchForLoss(): void {
    onAuthStateChanged(auth, (user) => {
      if (user === null) {
        if (last !== null && !leaving) refuse(last.uid, 'auth');
        return;
      }
      last = toSessionUser(user);
      if (refusal?.uid !== user.uid) forgive();
    });
  }
  const ready = async (): Promise<boolean> => {
    // One wait for each worker: while the storage hangs, every other answer comes at once.
    if (restoring === 'waiting') await within(RESTORE_WITHIN_MS, restored, undefined);
    if (restoring === 'waiting') restoring = 'late';
    if (restoring !== 'done') return false;
    if (auth.currentUser === null && Date.now() - restoredAt > RESTORE_AGAIN_AFTER_MS) {
      await within(RESTORE_WITHIN_MS, restore(), undefined);
    }
    return true;
  };

  return {
    auth,
    ready,
    async session() {
      if (await ready()) {
        const user =
          auth.currentUser ??
          (await within(RESTORE_WITHIN_MS, storedUser(), HUNG).catch((): typeof HUNG => HUNG));
        if (user !== HUNG) {
          return { user: user && toSessionUser(user), expired: user !== null && user.uid === refusal?.uid };
        }
      }
      return { ...((await news.last()) ?? { user: null, expired: false }), unreadable: true };
    },
    async token(uid, renew = false) {
      if (!(await ready())) return { kind: 'unavailable' };
      const user = auth.currentUser;
      if (user === null) return { kind: 'signed_out' };
      if (user.uid !== uid) return { kind: 'account_changed' };
      try {
        const token = await within(TOKEN_WITHIN_MS, user.getIdToken(renew), null);
        if (token === null) return { kind: 'unavailable' };
        // Who left while it was fetched asks for nothing any more.
        if (auth.currentUser === null) return { kind: 'signed_out' };
        if (auth.currentUser.uid !== uid) return { kind: 'account_changed' };
        if (refusal?.by === 'auth') forgive(); // of another user, or renewed after all
        return { kind: 'token', token };
      } catch (error) {
        const answer = tokenFailure(authFailureOf(error));
        if (answer.kind === 'signed_out') refuse(uid, 'auth');
        return answer;
      }
    },
    judged(uid, accepted) {
      if (!accepted) refuse(uid, 'api');
      else if (refusal?.uid === uid && refusal.by === 'api') forgive();
    },
    onUser(listener) {
      void restored.then(() => {
        if (restoring === 'done') onAuthStateChanged(auth, (user) => listener(user?.uid ?? null));
      });
    },
    renewed() {
      // The SDK reports no change where a guest has become an account: it is the same user.
      if (auth.currentUser !== null) last = toSessionUser(auth.currentUser);
      forgive();
      void mark?.clear();
    },
    async beginSignOut() {
      const user = auth.currentUser ?? (await storedUser());
      if (user !== null) await mark?.set(user.uid);
    },
    async follow() {
      if (!(await ready())) return;
      await finishSignOut();
      const stored = await storedUser();
      leaving = stored === null;
      try {
        await guard.restore();
      } finally {
        leaving = false;
      }
      if (stored !== null || auth.currentUser !== null) return;
      last = null;
      forgive();
    },
    async signOut() {
      await removeUser();
      last = null;
      forgive();
      await mark?.clear();
    },
  };
}
const HUNG = Symbol('hung');

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

/** The server sets the claim after it commits the record, so the listener may be the faster of the two. */
const RETRY_AFTER_MS = [0, 1_000, 3_000, 10_000] as const;

/**
 * Renews the ID token until its claims say what the record says, so that rules and functions of one's own that read them
 * see a purchase at once and not at the next hourly renewal. Gives up quietly: the hour comes anyway.
 */
export async function refreshClaims(
  session: Pick<Session, 'token'>,
  uid: string,
  rights: ClaimedRights,
): Promise<void> {
  for (const pause of RETRY_AFTER_MS) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const answer = await session.token(uid, true);
    switch (answer.kind) {
      case 'token': {
        const { paid, entitlements } = payloadOf(answer.token);
        const names = Array.isArray(entitlements) ? entitlements : [];
        if (isSameRights({ paid: paid === true, entitlements: names }, rights)) return;
        break;
      }
      case 'signed_out':
      case 'account_changed':
        return;
      case 'unreachable':
      case 'unavailable':
        // The auth service is down; the next try, or the hourly renewal, corrects it.
        break;
      default:
        answer satisfies never;
    }
  }
}
