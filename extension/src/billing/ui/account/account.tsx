import { type ReactNode, useState } from 'react';
import type { SessionUser } from '../../messages.ts';
import { send } from '../../send.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../button.tsx';
import { useToast } from '../feedback.tsx';
import { usePortal } from '../status/use-portal.ts';
import { t } from '../text/t.ts';
import './account.css';

interface AccountProps {
  readonly user: SessionUser | null;
  readonly snapshot: EntitlementSnapshot;
}

/** Who is signed in, the way to the portal, and the way out. */
export function Account({ user, snapshot }: AccountProps): ReactNode {
  const [leaving, setLeaving] = useState(false);
  const portal = usePortal();
  const say = useToast();
  const signOut = (): void => {
    setLeaving(true);
    send('authSignOut', {})
      .then(
        (result) => result.ok || say('refused', result.message),
        () => say('refused', t('errorNoWorker')),
      )
      .finally(() => setLeaving(false));
  };
  const name = user?.displayName ?? null;
  const email = user?.email ?? null;
  return (
    <section className="billing-account" aria-label={t('accountTitle')}>
      <p className="billing-account-who" title={email ?? undefined}>
        {name && <strong>{name}</strong>}
        <span>{email ?? (user === null ? ' ' : t('accountNoEmail'))}</span>
      </p>
      <div className="billing-account-actions">
        {snapshot.hasCustomer && (
          <Button look="quiet" busy={portal.opening} onClick={portal.open} data-testid="manage-billing">
            {t('accountPortal')}
          </Button>
        )}
        <Button look="quiet" busy={leaving} onClick={signOut} data-testid="sign-out">
          {t('accountSignOut')}
        </Button>
      </div>
    </section>
  );
}
