import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { useCheckout } from '../plans/checkout-context.tsx';
import { offerName } from '../plans/offer-text.ts';
import { t } from '../text/t.ts';
import { type SignInWay, useSignIn } from './use-sign-in.ts';

export interface SignInFormProps {
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** Whether somebody may start as a guest (Firebase's anonymous sign-in has to be switched on). */
  readonly guest?: boolean;
  /** `again`: the auth service ended the session. `keep`: a guest makes what they bought their own. */
  readonly purpose?: 'sign_in' | 'again' | 'keep';
  readonly onSignedIn?: () => void;
}

/** Signing in, creating an account, a new password; with email and password, with Google, or as a guest. */
export function SignInForm({ google, guest, purpose = 'sign_in', onSignedIn }: SignInFormProps): ReactNode {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const { underWay, failure, resetSentTo, attempt } = useSignIn(onSignedIn);
  const { wanted } = useCheckout();
  const first = useRef<HTMLInputElement>(null);
  const failureId = useId();
  useEffect(() => {
    if (wanted !== null) first.current?.focus();
  }, [wanted]);

  const keeps = purpose === 'keep';
  const tryWay = (way: SignInWay, leaveGuest?: boolean) => void attempt(way, { email, password }, leaveGuest);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    tryWay(keeps ? 'sign_up' : 'sign_in');
  };
  const reset = (): void => {
    // Only the address matters: the password is what was forgotten.
    if (first.current?.reportValidity()) tryWay('reset');
  };
  const words = wanted === null ? WORDS[purpose]() : t('signInToBuy', offerName(wanted));
  const submits: readonly ['sign_in' | 'sign_up', string][] = [
    ['sign_in', t('signInSubmit')],
    ['sign_up', t('signUpSubmit')],
  ];

  return (
    <form className="billing-sign-in" onSubmit={onSubmit}>
      <h2>{TITLES[purpose]()}</h2>
      <p className="billing-hint" role="status">
        {words}
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
          autoComplete={keeps ? 'new-password' : 'current-password'}
          required
          minLength={6}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          aria-describedby={failure === null ? undefined : failureId}
          data-testid="sign-in-password"
        />
      </label>
      {!keeps && (
        <Button look="link" busy={underWay === 'reset'} onClick={reset} data-testid="reset-password">
          {t('signInForgot')}
        </Button>
      )}
      {failure !== null && (
        <div id={failureId} className="billing-failure" role="alert">
          <p>{failure.text}</p>
          {(failure.code === 'guest_has_purchases' || failure.code === 'guest_unchecked') && (
            <Button onClick={() => tryWay(failure.way, true)} data-testid="leave-guest">
              {t('signInLeaveGuest')}
            </Button>
          )}
        </div>
      )}
      {resetSentTo !== null && (
        <p className="billing-done" role="status" data-testid="reset-sent">
          {t('signInResetSent', resetSentTo)}
        </p>
      )}
      <div className="billing-sign-in-actions">
        {(keeps ? submits.toReversed() : submits).map(([way, label], index) => (
          <Button
            key={way}
            type={index === 0 ? 'submit' : 'button'}
            look={index === 0 ? 'primary' : 'secondary'}
            wide
            busy={underWay === way}
            onClick={
              index === 0
                ? undefined
                : (event) => {
                    if (event.currentTarget.form?.reportValidity()) tryWay(way);
                  }
            }
            data-testid={way === 'sign_in' ? 'sign-in-submit' : 'sign-up-submit'}
          >
            {label}
          </Button>
        ))}
        {google && (
          <Button
            wide
            busy={underWay === 'google'}
            onClick={() => tryWay('google')}
            data-testid="sign-in-google"
          >
            {t('signInGoogle')}
          </Button>
        )}
        {guest && purpose === 'sign_in' && (
          <Button
            look="quiet"
            wide
            busy={underWay === 'guest'}
            onClick={() => tryWay('guest')}
            data-testid="sign-in-guest"
          >
            {t('signInGuest')}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Functions: a text is looked up when it is shown. */
const TITLES = {
  sign_in: () => t('signInTitle'),
  again: () => t('signInAgain'),
  keep: () => t('keepTitle'),
} as const;
const WORDS = {
  sign_in: () => t('signInWhy'),
  again: () => t('signInExpired'),
  keep: () => t('keepWords'),
} as const;
