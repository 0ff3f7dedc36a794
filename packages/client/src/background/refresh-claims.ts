import { getIdTokenResult } from 'firebase/auth/web-extension';
import type { AuthSession } from './auth-session.ts';

/** The server sets the claim after it commits the record, so the listener may be the faster of the two. */
const RETRY_AFTER_MS = [0, 1_000, 3_000, 10_000] as const;

/**
 * Renews the ID token until its `paid` claim says what the record says, so that rules and functions of one's own that
 * read the claim see a purchase at once and not at the next hourly renewal. Gives up quietly: the hour comes anyway.
 */
export async function refreshClaims(session: AuthSession, uid: string, paid: boolean): Promise<void> {
  for (const pause of RETRY_AFTER_MS) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const user = session.auth.currentUser;
    if (user?.uid !== uid) return;
    try {
      const { claims } = await getIdTokenResult(user, true);
      if ((claims.paid === true) === paid) return;
    } catch {
      // The auth service is down or refused; the next try, or the hourly renewal, mends it.
    }
  }
}
