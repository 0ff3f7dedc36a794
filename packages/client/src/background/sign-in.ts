import type { CustomerRecord } from '@extension-billing/contract/record';
import {
  type AuthCredential,
  createUserWithEmailAndPassword,
  EmailAuthProvider,
  GoogleAuthProvider,
  linkWithCredential,
  sendPasswordResetEmail,
  sendSignInLinkToEmail,
  signInAnonymously,
  signInWithCredential,
  signInWithEmailAndPassword,
  type UserCredential,
} from 'firebase/auth/web-extension';
import type { AuthResult } from '../messages.ts';
import { within } from '../promises.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import { type AuthFailure, authFailure, authFailureOf } from './auth-failure.ts';
import { type AuthSession, toSessionUser } from './auth-session.ts';
import { type GoogleClient, requestGoogleIdToken } from './google-id-token.ts';
import type { PendingLinks } from './mail-link.ts';

/** Whether something would be lost with an account. `unknown` counts as something wherever it would be gone for good. */
export type Purchases = 'some' | 'none' | 'unknown';

/** By the server's record; null: there is none. What counts is a plan, credits, or the way to invoices. */
export function purchasesIn(record: CustomerRecord | null): Purchases {
  if (record === null) return 'none';
  return record.paid || record.customerId !== null || record.creditsRemaining !== undefined ? 'some' : 'none';
}

/** By the local copy, while the server cannot be asked: it may say that there is something, never that there is nothing. */
export function purchasesInSnapshot(snapshot: EntitlementSnapshot | null, uid: string): Purchases {
  if (snapshot?.uid !== uid) return 'unknown';
  return snapshot.paid || snapshot.hasCustomer || (snapshot.credits !== null && !snapshot.credits.expected)
    ? 'some'
    : 'unknown';
}

interface GuestDeps {
  readonly session: Pick<AuthSession, 'auth' | 'session'>;
  /** Whether a user has bought anything: the server's word, and `unknown` where it cannot be had. */
  readonly purchases: (uid: string) => Promise<Purchases>;
}

/** The SDK's codes for a credential that another account has. */
const TAKEN: ReadonlySet<unknown> = new Set(['auth/credential-already-in-use', 'auth/email-already-in-use']);

interface Guest {
  /** Turns the guest who is signed in into a named account, with all they bought; null when no guest is signed in. */
  become(credential: AuthCredential): Promise<UserCredential | 'taken' | null>;
  /**
   * Why nobody may take the guest's place; null when nothing would be lost, or the user said so. Also of a guest whom
   * the SDK has dropped and the storage still has.
   */
  refusalToLeave(leaveGuest: boolean): Promise<AuthFailure | null>;
}

function createGuest({ session, purchases }: GuestDeps): Guest {
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

export interface SignIn {
  withPassword(email: string, password: string, leaveGuest: boolean): Promise<AuthResult>;
  withNewAccount(email: string, password: string): Promise<AuthResult>;
  withGoogle(leaveGuest: boolean): Promise<AuthResult>;
  asGuest(): Promise<AuthResult>;
  sendLink(email: string, leaveGuest: boolean): Promise<AuthResult>;
  /** By the link of a mail that was asked for in this browser. */
  withLink(link: string): Promise<AuthResult>;
  resetPassword(email: string): Promise<AuthResult>;
  /** Refused for a guest who would lose something, unless that is to be discarded. */
  out(discard?: boolean): Promise<AuthResult>;
}

interface SignInDeps extends GuestDeps {
  readonly session: AuthSession;
  /** null: this build has no Google sign-in. */
  readonly google: GoogleClient | null;
  /** The page that the mail's link leads to; null: there are no sign-in links. */
  readonly linkUrl: string | null;
  readonly links: PendingLinks;
  /** Makes room for the user's snapshot before the sign-in is answered. */
  readonly onSignedIn: (uid: string) => Promise<void>;
  readonly onSignedOut: () => Promise<void>;
}

/** The auth service answers in seconds; a storage that hangs does not answer at all. */
const ANSWER_WITHIN_MS = 30_000;

/** Where the extension signs its users in itself, nobody else does. */
export function signInByHost(): SignIn {
  const refuse = async (): Promise<AuthResult> => ({ ok: false, ...authFailure('host_signs_in') });
  return {
    withPassword: refuse,
    withNewAccount: refuse,
    withGoogle: refuse,
    asGuest: refuse,
    sendLink: refuse,
    withLink: refuse,
    resetPassword: refuse,
    out: refuse,
  };
}

/** A guest who signs up keeps all they bought (docs/decisions/account-deletion.md). */
export function createSignIn(deps: SignInDeps): SignIn {
  const { session, google, linkUrl, links, onSignedIn, onSignedOut } = deps;
  const guest = createGuest(deps);
  const refuse = (failure: AuthFailure): AuthResult => ({ ok: false, ...failure });

  async function attempt(signIn: () => Promise<UserCredential | AuthFailure>): Promise<AuthResult> {
    if (!(await session.ready())) return refuse(authFailure('storage_unavailable'));
    try {
      const answer = await within(ANSWER_WITHIN_MS, signIn(), authFailure('unavailable'));
      if (!('user' in answer)) return refuse(answer);
      // A guest may have signed out while an account was made of them: the sign-out stands.
      if (session.auth.currentUser?.uid !== answer.user.uid) return refuse(authFailure('session_expired'));
      session.renewed();
      // A link that is still on its way takes the place of nobody but a guest.
      if (!answer.user.isAnonymous) await links.forget();
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

  /** A link works once: opened in two tabs at the same time, it is asked about once. */
  const linksUnderWay = new Map<string, Promise<AuthResult>>();
  async function signInByLink(link: string): Promise<AuthResult> {
    // Clicked twice: it is used up, but it did what it is for.
    const { user } = await session.session();
    if (user !== null && (await links.usedBy(link)) === user.uid) return { ok: true, user };
    const asked = await links.pending();
    if (asked === null) return refuse(authFailure('link_invalid'));
    const { email, leaveGuest } = asked;
    const result = await attempt(async () => {
      const credential = EmailAuthProvider.credentialWithLink(email, link);
      const linked = leaveGuest ? null : await guest.become(credential);
      // The service has used the link up with that: another one has to be mailed.
      if (linked === 'taken') return (await guest.refusalToLeave(false)) ?? authFailure('email_in_use');
      if (linked !== null) return linked;
      return (await guest.refusalToLeave(leaveGuest)) ?? signInWithCredential(session.auth, credential);
    });
    if (result.ok) {
      if (result.user !== null) await links.used(link, result.user.uid);
      return result;
    }
    // The link of another address: no word of whose.
    const code = result.code === 'invalid_email' ? 'link_invalid' : result.code;
    await links.refused(code);
    return code === result.code ? result : refuse(authFailure('link_invalid'));
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
    async sendLink(email, leaveGuest) {
      if (linkUrl === null) return refuse(authFailure('not_configured'));
      if (!(await session.ready())) return refuse(authFailure('storage_unavailable'));
      try {
        await sendSignInLinkToEmail(session.auth, email, { url: linkUrl, handleCodeInApp: true });
      } catch (error) {
        return refuse(authFailureOf(error));
      }
      await links.asked({ email, leaveGuest });
      return { ok: true, user: (await session.session()).user };
    },
    withLink(link) {
      const started = linksUnderWay.get(link) ?? signInByLink(link).finally(() => linksUnderWay.delete(link));
      linksUnderWay.set(link, started);
      return started;
    },
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
      await within(ANSWER_WITHIN_MS, session.beginSignOut(), undefined);
      // Before the login goes: a snapshot without a login would show its plan for good.
      await onSignedOut();
      await within(ANSWER_WITHIN_MS, session.signOut(), undefined);
      await links.forget();
      return { ok: true, user: null };
    },
  };
}
