import { useCallback, useState } from 'react';
import type { AuthResult } from '../../messages.ts';
import { send } from '../../send.ts';
import { refusalText } from '../text/refusal-text.ts';
import { t } from '../text/t.ts';

export type SignInWay = 'sign_in' | 'sign_up' | 'google' | 'guest' | 'reset';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface SignInFailure {
  readonly way: SignInWay;
  /** Stable: `guest_has_purchases` asks whether to leave them behind. */
  readonly code: string;
  readonly text: string;
}

export interface SignInControl {
  /** The way that is being tried now. */
  readonly underWay: SignInWay | null;
  readonly failure: SignInFailure | null;
  /** Where a link for a new password was sent. */
  readonly resetSentTo: string | null;
  readonly attempt: (way: SignInWay, credentials: Credentials, leaveGuest?: boolean) => Promise<void>;
}

/** Signing in without a look: one attempt at a time, and what came of it. */
export function useSignIn(onSignedIn?: () => void): SignInControl {
  const [underWay, setUnderWay] = useState<SignInWay | null>(null);
  const [failure, setFailure] = useState<SignInFailure | null>(null);
  const [resetSentTo, setResetSentTo] = useState<string | null>(null);

  const attempt = useCallback(
    async (way: SignInWay, credentials: Credentials, leaveGuest = false): Promise<void> => {
      if (underWay !== null) return;
      setUnderWay(way);
      setFailure(null);
      setResetSentTo(null);
      try {
        const result = await ask(way, credentials, leaveGuest);
        if (!result.ok) setFailure({ way, code: result.code, text: refusalText(result) });
        else if (way === 'reset') setResetSentTo(credentials.email);
        else onSignedIn?.();
      } catch {
        setFailure({ way, code: 'no_worker', text: t('errorNoWorker') });
      } finally {
        setUnderWay(null);
      }
    },
    [underWay, onSignedIn],
  );
  return { underWay, failure, resetSentTo, attempt };
}

function ask(way: SignInWay, { email, password }: Credentials, leaveGuest: boolean): Promise<AuthResult> {
  switch (way) {
    case 'sign_in':
      return send('authSignIn', { email, password, leaveGuest });
    case 'sign_up':
      return send('authSignUp', { email, password });
    case 'google':
      return send('authSignInWithGoogle', { leaveGuest });
    case 'guest':
      return send('authSignInAsGuest', {});
    case 'reset':
      return send('authResetPassword', { email });
    default:
      return way satisfies never;
  }
}
