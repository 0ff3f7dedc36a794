import type { ReactNode } from 'react';
import type { SessionUser } from '../../messages.ts';
import { Button } from '../button.tsx';
import { t } from '../text/t.ts';
import { useSignOut } from './use-sign-out.ts';
import './account.css';

interface AccountProps {
  /** null until the worker has said who it is. */
  readonly user: SessionUser | null;
  /** Where a guest makes an account of their own; they have no other way back in, so they are not signed out. */
  readonly onKeep?: () => void;
}

/** Who is signed in, and the way out. */
export function Account({ user, onKeep }: AccountProps): ReactNode {
  const { leaving, signOut } = useSignOut();
  const isGuest = user?.isAnonymous === true;
  const name = user?.displayName ?? null;
  const email = user?.email ?? null;
  return (
    <section className="billing-account" aria-label={t('accountTitle')}>
      <p className="billing-account-who" title={email ?? undefined}>
        {name && <strong>{name}</strong>}
        {isGuest && <strong>{t('accountGuest')}</strong>}
        {!isGuest && <span>{email ?? (user === null ? ' ' : t('accountNoEmail'))}</span>}
        {isGuest && <span className="billing-hint">{t('guestWhere')}</span>}
      </p>
      {isGuest && onKeep ? (
        <Button look="quiet" onClick={onKeep} data-testid="keep-account">
          {t('accountKeep')}
        </Button>
      ) : (
        <Button look="quiet" busy={leaving} onClick={signOut} data-testid="sign-out">
          {t('accountSignOut')}
        </Button>
      )}
    </section>
  );
}
