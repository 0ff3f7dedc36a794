import { type AuthCredential, linkWithCredential, type UserCredential } from 'firebase/auth/web-extension';
import type { Purchases } from '../snapshot/holds-purchases.ts';
import { type AuthFailure, authFailure } from './auth-failure.ts';
import type { AuthSession } from './auth-session.ts';

export interface GuestDeps {
  readonly session: Pick<AuthSession, 'auth' | 'session'>;
  /** Whether a user has bought anything: the server's word, and `unknown` where it cannot be had. */
  readonly purchases: (uid: string) => Promise<Purchases>;
}

/** The SDK's codes for a credential that another account has. */
const TAKEN: ReadonlySet<unknown> = new Set(['auth/credential-already-in-use', 'auth/email-already-in-use']);

export interface Guest {
  /** Turns the guest who is signed in into a named account, with all they bought; null when no guest is signed in. */
  become(credential: AuthCredential): Promise<UserCredential | 'taken' | null>;
  /**
   * Why nobody may take the guest's place; null when nothing would be lost, or the user said so. Also of a guest whom
   * the SDK has dropped and the storage still has.
   */
  refusalToLeave(leaveGuest: boolean): Promise<AuthFailure | null>;
}

export function createGuest({ session, purchases }: GuestDeps): Guest {
  return {
    async become(credential) {
      const user = session.auth.currentUser;
      if (user?.isAnonymous !== true) return null;
      try {
        return await linkWithCredential(user, credential);
      } catch (error) {
        if (error instanceof Error && 'code' in error && TAKEN.has(error.code)) return 'taken';
        throw error;
      }
    },
    async refusalToLeave(leaveGuest) {
      const { user } = await session.session();
      if (user === null || !user.isAnonymous || leaveGuest) return null;
      const bought = await purchases(user.uid);
      switch (bought) {
        case 'none':
          return null;
        case 'some':
          return authFailure('guest_has_purchases');
        case 'unknown':
          return authFailure('guest_unchecked');
        default:
          return bought satisfies never;
      }
    },
  };
}
