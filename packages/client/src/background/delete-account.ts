import type { DeleteAccountResponse } from '@extension-billing/contract/api';
import {
  EmailAuthProvider,
  GoogleAuthProvider,
  reauthenticateWithCredential,
  type User,
} from 'firebase/auth/web-extension';
import type { AuthResult } from '../messages.ts';
import type { Api, ApiAnswer } from './api.ts';
import { type AuthFailureCode, authFailure, authFailureOf } from './auth-failure.ts';
import type { AuthSession } from './auth-session.ts';
import { type GoogleClient, requestGoogleIdToken } from './google-id-token.ts';

/** The service asks the provider to end each subscription. */
const TIMEOUT_MS = 30_000;
/** A deletion whose answer was lost is asked for again: repeating it is safe, and the proof is still fresh. */
const ATTEMPTS = 3;

export interface DeleteAccountDeps {
  readonly session: AuthSession;
  readonly api: Pick<Api, 'post'>;
  readonly google: GoogleClient | null;
  /** Forgets the user here. */
  readonly forget: () => Promise<AuthResult>;
}

/**
 * Deletes the account that is signed in: proves again who is asking, lets the service end what charges and delete the
 * user, then forgets them here (docs/decisions/account-deletion.md#deletion-ends-what-charges-and-keeps-the-books).
 */
export function createDeleteAccount(deps: DeleteAccountDeps) {
  const refuse = (code: AuthFailureCode): AuthResult => ({ ok: false, ...authFailure(code) });

  /** Null when the user has proved who they are. A guest has nothing to prove it with. */
  async function refusalToProve(user: User, password: string | undefined): Promise<AuthFailureCode | null> {
    if (user.isAnonymous) return null;
    if (user.email !== null && user.providerData.some(({ providerId }) => providerId === 'password')) {
      if (password === undefined) return 'password_required';
      await reauthenticateWithCredential(user, EmailAuthProvider.credential(user.email, password));
      return null;
    }
    if (deps.google === null) return 'not_configured';
    const answer = await requestGoogleIdToken(deps.google);
    if (!answer.ok) return answer.reason;
    await reauthenticateWithCredential(user, GoogleAuthProvider.credential(answer.idToken));
    return null;
  }

  /** Whether somebody else has signed in meanwhile: they stay signed in. */
  function isReplaced({ uid }: User): boolean {
    const { currentUser } = deps.session.auth;
    return currentUser !== null && currentUser.uid !== uid;
  }

  async function ask(uid: string): Promise<ApiAnswer<DeleteAccountResponse>> {
    for (let attempt = 1; ; attempt++) {
      const answer = await deps.api.post<DeleteAccountResponse>({
        uid,
        path: '/account/delete',
        body: {},
        timeoutMs: TIMEOUT_MS,
      });
      const isLost = answer.kind === 'unreachable' || answer.kind === 'timeout';
      if (!isLost || attempt === ATTEMPTS) return answer;
    }
  }

  return async ({ password }: { readonly password?: string }): Promise<AuthResult> => {
    if (!(await deps.session.ready())) return refuse('storage_unavailable');
    const user = deps.session.auth.currentUser;
    if (user === null) return refuse('session_expired');
    try {
      const refusal = await refusalToProve(user, password);
      if (refusal !== null) return refuse(refusal);
    } catch (error) {
      return { ok: false, ...authFailureOf(error) };
    }
    const answer = await ask(user.uid);
    switch (answer.kind) {
      case 'answered':
        // Only the service's own word counts: a proxy or a captive portal answers 200 too.
        if (answer.body.deleted !== true) return refuse('deletion_unconfirmed');
        return isReplaced(user) ? { ok: true, user: null } : deps.forget();
      case 'signed_out':
        return refuse('session_expired');
      case 'account_changed':
        return refuse('wrong_account');
      case 'unreachable':
      case 'timeout':
        return refuse('deletion_unconfirmed');
      case 'problem':
        return refuse(answer.problem.code === 'recent_sign_in_required' ? 'session_expired' : 'not_deleted');
      default:
        return answer satisfies never;
    }
  };
}
