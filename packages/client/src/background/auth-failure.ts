/** Why a sign-in did not happen: a stable code, and a sentence that says what to do next. */
export interface AuthFailure {
  readonly code: AuthFailureCode;
  readonly message: string;
}

const MESSAGES = {
  invalid_credentials: 'Email or password is wrong. Check both, or create an account.',
  invalid_email: 'This does not look like an email address. Check it and try again.',
  email_in_use: 'There is an account with this email already. Sign in instead.',
  weak_password: 'Choose a password of at least 6 characters.',
  account_disabled: 'This account is disabled. Write to support to have it opened again.',
  session_expired: 'Your session has ended. Sign in again.',
  too_many_attempts: 'Too many attempts. Wait a few minutes and try again.',
  network: 'The sign-in service cannot be reached. Check your connection and try again.',
  cancelled: 'The sign-in window was closed. Try again.',
  not_configured: 'This way of signing in is not set up here. Use email and password.',
  guest_has_purchases:
    'What you bought as a guest cannot move to an account that exists already. Create a new account to keep it, or leave it behind.',
  wrong_account: 'This is another account than the one that is signed in. Choose the same one.',
  password_required: 'Type your password to confirm.',
  guest_unchecked:
    'Whether you bought something as a guest cannot be checked. Try again in a moment, or leave it behind.',
  not_deleted:
    'Your account was not deleted, because your plan could not be ended right now. Try again in a moment.',
  deletion_unconfirmed:
    'Whether your account was deleted is not known yet. Check your connection and delete it again to be sure.',
  storage_unavailable:
    'The browser does not give out what it has stored. Close it, open it again, and try once more.',
  link_invalid: 'This link cannot be used here. Ask for a new one.',
  host_signs_in: 'Use the sign-in of the extension itself.',
  unavailable: 'The sign-in service did not answer as it should. Try again in a moment.',
} as const;
export type AuthFailureCode = keyof typeof MESSAGES;

/** Codes of the Firebase SDK (AuthErrorCodes, firebase 13.1.0). One message for a wrong email and a wrong password: which it was is nobody's business. */
const BY_SDK_CODE: Readonly<Record<string, AuthFailureCode>> = {
  'auth/invalid-credential': 'invalid_credentials',
  'auth/wrong-password': 'invalid_credentials',
  'auth/user-not-found': 'invalid_credentials',
  'auth/missing-password': 'invalid_credentials',
  'auth/invalid-email': 'invalid_email',
  'auth/missing-email': 'invalid_email',
  'auth/email-already-in-use': 'email_in_use',
  'auth/weak-password': 'weak_password',
  'auth/user-mismatch': 'wrong_account',
  'auth/user-disabled': 'account_disabled',
  'auth/user-token-expired': 'session_expired',
  'auth/invalid-user-token': 'session_expired',
  // The SDK has no word of its own for INVALID_REFRESH_TOKEN, and makes one of the server's.
  'auth/invalid-refresh-token': 'session_expired',
  'auth/too-many-requests': 'too_many_attempts',
  'auth/network-request-failed': 'network',
  'auth/operation-not-allowed': 'not_configured',
  'auth/unauthorized-continue-uri': 'not_configured',
  'auth/invalid-continue-uri': 'not_configured',
  'auth/argument-error': 'link_invalid',
  'auth/invalid-action-code': 'link_invalid',
  'auth/expired-action-code': 'link_invalid',
};

export function authFailure(code: AuthFailureCode): AuthFailure {
  return { code, message: MESSAGES[code] };
}

/** An error of the SDK as a failure. The error's own text is left out: it may hold what the user typed. */
export function authFailureOf(error: unknown): AuthFailure {
  const sdkCode = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return authFailure(BY_SDK_CODE[sdkCode] ?? 'unavailable');
}
