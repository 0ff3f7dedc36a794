import { createHash } from 'node:crypto';
import { domainToASCII } from 'node:url';

// Who may have free credits: what an ID token says of the person behind an account (docs/free-credits.md).

/** As much of a checked ID token as tells people apart. */
export interface TokenClaims {
  readonly uid: string;
  readonly email?: string | undefined;
  readonly email_verified?: boolean | undefined;
  readonly phone_number?: string | undefined;
  readonly firebase?: {
    readonly sign_in_provider?: string;
    readonly identities?: Readonly<Record<string, unknown>>;
  };
}

/**
 * Who asks for free credits. A guest is nobody that could be known again: the next guest is another one. Everybody else
 * is known by a hash, which stays the same when the account is deleted and signed up for again.
 */
export type Claimant =
  /** There is no such account, or none that may sign in: only a service can ask for it. It gets nothing. */
  | { readonly kind: 'nobody' }
  | { readonly kind: 'guest' }
  | {
      readonly kind: 'identity';
      /** SHA-256 in hex of what the person signs in with. */
      readonly hash: string;
      /** False for an e-mail address that nobody has shown to be theirs. */
      readonly isVerified: boolean;
    };

export const GUEST: Claimant = { kind: 'guest' };
export const NOBODY: Claimant = { kind: 'nobody' };

/**
 * The person behind a token: by e-mail address, else by telephone number, else by the account at the provider that they
 * signed in with, else by the uid (a custom token: whoever signs it says who it is).
 */
export function claimantOf({ uid, email, email_verified, phone_number, firebase }: TokenClaims): Claimant {
  if (email !== undefined && email !== '') {
    return identity(`email:${normaliseEmail(email)}`, email_verified === true);
  }
  if (phone_number !== undefined) return identity(`phone:${phone_number}`, true);
  const [provider] = Object.entries(firebase?.identities ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const [name, ids] = provider ?? [];
  const id: unknown = Array.isArray(ids) ? ids[0] : ids;
  if (name !== undefined && typeof id === 'string') return identity(`${name}:${id}`, true);
  return firebase?.sign_in_provider === 'anonymous' ? GUEST : identity(`uid:${uid}`, true);
}

function identity(text: string, isVerified: boolean): Claimant {
  return { kind: 'identity', hash: createHash('sha256').update(text).digest('hex'), isVerified };
}

/** The two names of Google's mailboxes, where dots in the name lead to the same one. */
const GOOGLE_MAIL: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

/**
 * One text for the addresses of one mailbox: lower case, the domain in ASCII, without what follows a "+" (which nearly
 * every provider delivers to the mailbox before it), and without the dots that Google ignores. It is written down in
 * docs/free-credits.md: a change makes everybody a new person once.
 */
export function normaliseEmail(email: string): string {
  const address = email.normalize('NFKC').trim().toLowerCase();
  const at = address.lastIndexOf('@');
  if (at < 1) return address;
  const [name = ''] = address.slice(0, at).split('+');
  const typed = address.slice(at + 1);
  const domain = domainToASCII(typed) || typed;
  const mailbox = name === '' ? address.slice(0, at) : name;
  return GOOGLE_MAIL.has(domain) ? `${mailbox.replaceAll('.', '')}@gmail.com` : `${mailbox}@${domain}`;
}
