import { type AuthCredential, linkWithCredential, type UserCredential } from 'firebase/auth/web-extension';
import { type AuthFailure, authFailure } from './auth-failure.ts';
import type { AuthSession } from './auth-session.ts';

export interface GuestDeps {
  readonly session: AuthSession;
  /** Whether a user has bought anything, as far as is known here. */
  readonly holdsPurchases: (uid: string) => Promise<boolean>;
}

/** The SDK's codes for a credential that another account has. */
const TAKEN: ReadonlySet<unknown> = new Set(['auth/credential-already-in-use', 'auth/email-already-in-use']);

export interface Guest {
  /** Turns the guest who is signed in into a named account, with all they bought; null when no guest is signed in. */
  become(credential: AuthCredential): Promise<UserCredential | 'taken' | null>;
  /** Why another account may not take the guest's place; null when nothing would be lost, or the user said so. */
  refusalToLeave(leaveGuest: boolean): Promise<AuthFailure | null>;
}

export function createGuest({ session, holdsPurchases }: GuestDeps): Guest {
  const current = () => (session.auth.currentUser?.isAnonymous === true ? session.auth.currentUser : null);
  return {
    async become(credential) {
      const guest = current();
      if (guest === null) return null;
      try {
        return await linkWithCredential(guest, credential);
      } catch (error) {
        if (error instanceof Error && 'code' in error && TAKEN.has(error.code)) return 'taken';
        throw error;
      }
    },
    async refusalToLeave(leaveGuest) {
      const guest = current();
      if (guest === null || leaveGuest || !(await holdsPurchases(guest.uid))) return null;
      return authFailure('guest_has_purchases');
    },
  };
}
