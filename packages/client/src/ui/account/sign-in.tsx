import { type FormEvent, type ReactNode, useCallback, useEffect, useId, useRef, useState } from 'react';
import type { AuthResult } from '../../messages.ts';
import { send } from '../../send.ts';
import { Button } from '../controls.tsx';
import { TAKES_FOCUS } from '../focus.ts';
import { useCheckout } from '../plans/checkout.tsx';
import { offerName } from '../plans/offers.ts';
import { refusalText } from '../text/refusals.ts';
import { t } from '../text/texts.ts';
import { useIsNewcomer } from './account.tsx';
import { HostSignIn } from './host-sign-in.tsx';
import { AskForLink, LinkSent, useMailedLink } from './link-sent.tsx';
import './sign-in.css';

/** Which ways of signing in the form offers, and what follows. */
export interface SignInFormProps {
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** Whether somebody may start as a guest (Firebase's anonymous sign-in has to be switched on). */
  readonly guest?: boolean;
  /** Whether people may sign in by a link that is mailed to them (`signInLinkUrl`, docs/signing-in.md). */
  readonly mailLink?: boolean | undefined;
  /** `sign_in` asks a newcomer to create an account first. `again`: the auth service ended the session. `keep`: a guest makes what they bought their own. */
  readonly purpose?: 'sign_in' | 'again' | 'keep';
  /** The address to begin with, if it is known. */
  readonly email?: string | undefined;
  readonly onSignedIn?: () => void;
}

export interface SignInProps extends SignInFormProps {
  /** The extension signs its users in itself: `children` is its way in. */
  readonly isHosted?: boolean;
  readonly children?: ReactNode;
}

/** The way in: billing's form, or the extension's own. */
export function SignIn({ isHosted, children, ...form }: SignInProps): ReactNode {
  return isHosted ? <HostSignIn purpose={form.purpose}>{children}</HostSignIn> : <SignInForm {...form} />;
}

/** Signing in, creating an account, a new password; with email and password, with Google, or as a guest. */
export function SignInForm({
  google,
  guest,
  mailLink,
  purpose = 'sign_in',
  email: knownEmail = '',
  onSignedIn,
}: SignInFormProps): ReactNode {
  const [email, setEmail] = useState(knownEmail);
  const [password, setPassword] = useState('');
  const control = useSignIn(onSignedIn);
  const { underWay, failure, resetSentTo, attempt } = control;
  // What this form itself brings about is told by its own answer.
  const { mailed, putAside } = useMailedLink(mailLink, underWay === null ? onSignedIn : undefined);
  const { wanted } = useCheckout();
  const first = useRef<HTMLInputElement>(null);
  const id = useId();
  const [titleId, whyId, failureId, hintId] = ['title', 'why', 'failure', 'hint'].map((part) => id + part);
  const keeps = purpose === 'keep';
  const isNewcomer = useIsNewcomer();
  const isShown = isNewcomer !== undefined && mailed !== undefined;
  useEffect(() => {
    if (isShown && wanted !== null) first.current?.focus();
  }, [isShown, wanted]);

  const [turned, setTurned] = useState<'sign_in' | 'sign_up' | null>(null);
  const next = afterFailure(failure, keeps);
  if (next !== null && next !== turned) setTurned(next);
  const startsWith = keeps || (purpose === 'sign_in' && isNewcomer) ? 'sign_up' : 'sign_in';
  const main = turned ?? startsWith;
  const tryWay = (way: SignInWay, leaveGuest?: boolean) => void attempt(way, { email, password }, leaveGuest);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    tryWay(main);
  };
  /** Only the address matters. */
  const mail = (way: 'reset' | 'link', leaveGuest?: boolean): void => {
    if (first.current?.reportValidity()) tryWay(way, leaveGuest);
  };
  /** A link that was refused is used up: another one is mailed. */
  const leave = (way: SignInWay): void => (way === 'link' ? mail('link', true) : tryWay(way, true));
  const isNew = main === 'sign_up';
  const title = isNew && purpose === 'sign_in' ? t('signUpTitle') : TITLES[purpose]();
  const text = wanted === null ? TEXTS[purpose]() : t('signInToBuy', offerName(wanted));
  // A session that ended is that of an account which exists.
  const ways: readonly ('sign_in' | 'sign_up')[] = purpose === 'again' ? ['sign_in'] : ['sign_in', 'sign_up'];

  const goBack = (): void => {
    setEmail(email || (mailed?.email ?? ''));
    putAside();
  };

  return (
    <section {...TAKES_FOCUS} aria-labelledby={titleId} aria-describedby={whyId}>
      {mailed ? (
        <LinkSent mailed={mailed} control={control} titleId={titleId} whyId={whyId} onOtherWay={goBack} />
      ) : (
        // Shown once it is known what it asks for first: its buttons do not change places under the pointer.
        <form className="billing-sign-in" onSubmit={onSubmit} data-unknown={!isShown || undefined}>
          <h2 id={titleId}>{title}</h2>
          <p className="billing-hint" id={whyId} role="status">
            {text}
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
              autoComplete={isNew ? 'new-password' : 'current-password'}
              required
              minLength={6}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
              aria-describedby={failure === null ? hintId : failureId}
              data-testid="sign-in-password"
            />
            {isNew && (
              <span id={hintId} className="billing-hint">
                {t('signUpPassword')}
              </span>
            )}
          </label>
          {!isNew && (
            <Button
              look="link"
              busy={underWay === 'reset'}
              onClick={() => mail('reset')}
              data-testid="reset-password"
            >
              {t('signInForgot')}
            </Button>
          )}
          {failure !== null && (
            <div id={failureId} className="billing-failure" role="alert">
              <p>{failure.text}</p>
              {mayLeaveGuest(failure) && (
                <Button onClick={() => leave(failure.way)} data-testid="leave-guest">
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
            {(isNew ? ways.toReversed() : ways).map((way, index) => (
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
                {way === 'sign_in' ? t('signInSubmit') : t('signUpSubmit')}
              </Button>
            ))}
            {mailLink && <AskForLink busy={underWay === 'link'} onClick={() => mail('link')} />}
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
            {guest && purpose === 'sign_in' && (
              <p className="billing-hint billing-guest-where">{t('guestWhere')}</p>
            )}
          </div>
        </form>
      )}
    </section>
  );
}

/** What to offer first after a refusal; null where it says nothing about that. */
function afterFailure(failure: SignInFailure | null, keeps: boolean): 'sign_in' | 'sign_up' | null {
  if (failure === null || keeps) return null;
  if (failure.code === 'email_in_use') return 'sign_in';
  return failure.way === 'sign_in' || failure.way === 'sign_up' ? failure.way : null;
}

function mayLeaveGuest({ way, code }: SignInFailure): boolean {
  if (code === 'guest_has_purchases' || code === 'guest_unchecked') return true;
  return way === 'link' && code === 'email_in_use';
}

/** Functions: a text is looked up when it is shown. */
const TITLES = {
  sign_in: () => t('signInTitle'),
  again: () => t('signInAgain'),
  keep: () => t('keepTitle'),
} as const;
const TEXTS = {
  sign_in: () => t('signInWhy'),
  again: () => t('signInExpired'),
  keep: () => t('keepWords'),
} as const;

export type SignInWay = 'sign_in' | 'sign_up' | 'google' | 'guest' | 'reset' | 'link';

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

/** A sign-in under way, and how to begin one. */
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
        else if (way !== 'link') onSignedIn?.();
      } catch {
        setFailure({ way, code: 'no_worker', text: refusalText({ code: 'no_worker' }) });
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
    case 'link':
      return send('authSendLink', { email, leaveGuest });
    case 'reset':
      return send('authResetPassword', { email });
    default:
      return way satisfies never;
  }
}
