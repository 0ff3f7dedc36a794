import type { ReactNode } from 'react';
import type { SessionUser } from '../../messages.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { useToast } from '../feedback.tsx';
import { t } from '../text/t.ts';
import { DeleteAccount } from './delete-account.tsx';
import { SignInForm } from './sign-in-form.tsx';
import { useSignIn } from './use-sign-in.ts';
import './manage-account.css';

interface ManageAccountProps {
  readonly user: SessionUser | null;
  readonly snapshot: EntitlementSnapshot;
  /** Whether this build has Google sign-in set up. */
  readonly google: boolean;
  /** A guest became a named account. */
  readonly onChanged: () => void;
}

/** What belongs to the account itself: a name for a guest, a new password, the end of it. */
export function ManageAccount({ user, snapshot, google, onChanged }: ManageAccountProps): ReactNode {
  const say = useToast();
  const onKept = (): void => {
    say('done', t('accountKept'));
    onChanged();
  };
  return (
    <div className="billing-manage">
      {user?.isAnonymous && <SignInForm purpose="keep" google={google} onSignedIn={onKept} />}
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
