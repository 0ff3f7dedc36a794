import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { AuthResult } from '../../messages.ts';
import { send } from '../../send.ts';
import { Button } from '../button.tsx';
import { useCheckout } from '../plans/checkout-context.tsx';
import { offerName } from '../plans/offer-text.ts';
import { refusalText } from '../text/refusal-text.ts';
import { t } from '../text/t.ts';
import './account.css';

type Way = 'sign_in' | 'sign_up' | 'google';

export interface SignInFormProps {
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** The auth service ended the session: says so above the form. */
  readonly expired?: boolean;
  readonly onSignedIn?: () => void;
}

/** Signing in and creating an account, with email and password or with Google. */
export function SignInForm({ google, expired = false, onSignedIn }: SignInFormProps): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [underWay, setUnderWay] = useState<Way | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const id = useId();
  const { wanted } = useCheckout();
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (wanted !== null) first.current?.focus();
  }, [wanted]);

  const attempt = async (way: Way, ask: () => Promise<AuthResult>): Promise<void> => {
    if (underWay !== null) return;
    setUnderWay(way);
    setFailure(null);
    try {
      const result = await ask();
      if (result.ok) onSignedIn?.();
      else setFailure(refusalText(result));
    } catch {
      setFailure(t('errorNoWorker'));
    } finally {
      setUnderWay(null);
    }
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void attempt('sign_in', () => send('authSignIn', { email, password }));
  };

  return (
    <form className="billing-sign-in" onSubmit={onSubmit}>
      <h2>{expired ? t('signInAgain') : t('signInTitle')}</h2>
      <p className="billing-hint" role="status">
        {wanted !== null
          ? t('signInToBuy', offerName(wanted))
          : expired
            ? t('signInExpired')
            : t('signInWhy')}
      </p>
      <label className="billing-field">
        {t('signInEmail')}
        <input
          ref={first}
          type="email"
          autoComplete="username"
          required
          value={email}
          onChange={(event) => setEmail(event.target.value)}
          data-testid="sign-in-email"
        />
      </label>
      <label className="billing-field">
        {t('signInPassword')}
        <input
          type="password"
          autoComplete="current-password"
          required
          minLength={6}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          aria-describedby={failure === null ? undefined : id}
          data-testid="sign-in-password"
        />
      </label>
      {failure !== null && (
        <p id={id} className="billing-failure" role="alert">
          {failure}
        </p>
      )}
      <div className="billing-sign-in-actions">
        <Button type="submit" look="primary" wide busy={underWay === 'sign_in'} data-testid="sign-in-submit">
          {t('signInSubmit')}
        </Button>
        <Button
          wide
          busy={underWay === 'sign_up'}
          onClick={(event) => {
            if (event.currentTarget.form?.reportValidity()) {
              void attempt('sign_up', () => send('authSignUp', { email, password }));
            }
          }}
          data-testid="sign-up-submit"
        >
          {t('signUpSubmit')}
        </Button>
        {google && (
          <Button
            wide
            busy={underWay === 'google'}
            onClick={() => void attempt('google', () => send('authSignInWithGoogle', {}))}
            data-testid="sign-in-google"
          >
            {t('signInGoogle')}
          </Button>
        )}
      </div>
    </form>
  );
}
