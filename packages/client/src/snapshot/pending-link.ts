/** Key in `chrome.storage.session`: to whom a sign-in link was mailed. Pages read it, content scripts cannot. */
export const SIGN_IN_LINK_KEY = 'billingSignInLink';

/** Firebase's links end after six hours. */
export const LINK_LIVES_MS = 6 * 3_600_000;

export interface PendingLink {
  readonly email: string;
  /** What a guest bought is to be left behind, where the address has an account already. */
  readonly leaveGuest: boolean;
  /** Milliseconds since the epoch. */
  readonly askedAt: number;
  /** The code with which the link that came was refused. */
  readonly refused?: string;
}
