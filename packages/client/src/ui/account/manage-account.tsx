import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { SessionUser } from '../../messages.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { useToast } from '../notifications/toasts.tsx';
import { refusalText } from '../text/refusals.ts';
import { t, tCount } from '../text/texts.ts';
import { useIsHosted } from './hosted.ts';
import { SignInForm, useSignIn } from './sign-in.tsx';
import './manage-account.css';
import { send } from '../../send.ts';
import { formatCount } from '../format.ts';

interface ManageAccountProps {
  readonly user: SessionUser | null;
  readonly snapshot: EntitlementSnapshot;
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** Whether a guest may make an account by a link that is mailed to them (`signInLinkUrl`). */
  readonly mailLink?: boolean | undefined;
  /** A guest became a named account. */
  readonly onChanged: () => void;
}

/** What belongs to the account itself: a name for a guest, a new password, the end of it. */
export function ManageAccount({
  user,
  snapshot,
  google,
  mailLink,
  onChanged,
}: ManageAccountProps): ReactNode {
  const say = useToast();
  const isHosted = useIsHosted();
  const onKept = (): void => {
    say('done', t('accountKept'));
    onChanged();
  };
  // Its name, its password and its end are the extension's own affair.
  if (isHosted) return null;
  return (
    <div className="billing-manage">
      {user?.isAnonymous && (
        <SignInForm purpose="keep" google={google} mailLink={mailLink} onSignedIn={onKept} />
      )}
      {user?.email && <ChangePassword email={user.email} />}
      <DeleteAccount snapshot={snapshot} />
    </div>
  );
}

function ChangePassword({ email }: { readonly email: string }): ReactNode {
  const { underWay, failure, resetSentTo, attempt } = useSignIn();
  return (
    <div className="billing-manage-row">
      <div>
        <h3>{t('passwordTitle')}</h3>
        <p className="billing-hint" role="status">
          {resetSentTo === null ? (failure?.text ?? t('passwordWords')) : t('signInResetSent', resetSentTo)}
        </p>
      </div>
      <Button
        busy={underWay === 'reset'}
        onClick={() => void attempt('reset', { email, password: '' })}
        data-testid="change-password"
      >
        {t('passwordChange')}
      </Button>
    </div>
  );
}

/** The end of an account, in two steps: what is lost with it, then the password where there is one. */
function DeleteAccount({ snapshot }: { readonly snapshot: EntitlementSnapshot }): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <div className="billing-manage-row">
      <div>
        <h3>{t('deleteTitle')}</h3>
        <p className="billing-hint">{t('deleteWords')}</p>
      </div>
      {!isAsking && (
        <Button onClick={() => setIsAsking(true)} data-testid="delete-account">
          {t('deleteStart')}
        </Button>
      )}
      {isAsking && <Confirm snapshot={snapshot} onKeep={() => setIsAsking(false)} />}
    </div>
  );
}

interface ConfirmProps {
  readonly snapshot: EntitlementSnapshot;
  readonly onKeep: () => void;
}

function Confirm({ snapshot, onKeep }: ConfirmProps): ReactNode {
  const [password, setPassword] = useState('');
  const [asksPassword, setAsksPassword] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const say = useToast();
  const panel = useRef<HTMLFormElement>(null);
  const id = useId();
  useEffect(() => panel.current?.focus(), []);
  useEffect(() => {
    if (asksPassword) panel.current?.querySelector('input')?.focus();
  }, [asksPassword]);

  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    send('accountDelete', asksPassword ? { password } : {})
      .then(
        (result) => {
          if (result.ok) say('done', t('deleteDone'));
          else if (result.code === 'password_required') setAsksPassword(true);
          else setFailure(refusalText(result));
        },
        () => setFailure(refusalText({ code: 'no_worker' })),
      )
      .finally(() => setBusy(false));
  };
  return (
    <form
      ref={panel}
      className="billing-delete"
      tabIndex={-1}
      aria-labelledby={id}
      onSubmit={onSubmit}
      data-testid="delete-confirm"
    >
      <h4 id={id}>{t('deleteAsk')}</h4>
      <ul>
        {describeLoss(snapshot).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {asksPassword && (
        <label className="billing-field">
          {t('deletePassword')}
          <input
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
            data-testid="delete-password"
          />
        </label>
      )}
      {failure !== null && (
        <p className="billing-failure" role="alert">
          {failure}
        </p>
      )}
      <div className="billing-delete-actions">
        <Button onClick={onKeep}>{t('deleteKeep')}</Button>
        <Button type="submit" look="danger" busy={busy} data-testid="delete-for-good">
          {t('deleteForGood')}
        </Button>
      </div>
    </form>
  );
}

/** What goes with an account, so that nobody deletes more than they meant to. Never empty. */
export function describeLoss({ state, credits }: EntitlementSnapshot): readonly string[] {
  const balance = credits?.balance ?? 0;
  return [
    ...(state === 'free' ? [] : [t(state === 'lifetime' ? 'lossLifetime' : 'lossPlan')]),
    ...(balance > 0 ? [tCount(balance, 'lossCredits', formatCount(balance))] : []),
    t('lossAccess'),
  ];
}
