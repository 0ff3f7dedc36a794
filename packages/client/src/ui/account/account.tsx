import { type ReactNode, useEffect, useState } from 'react';
import type { SessionUser } from '../../messages.ts';
import { Button } from '../controls.tsx';
import { t } from '../text/texts.ts';
import './account.css';
import { useStoredValue } from '../../hooks.ts';
import { send } from '../../send.ts';
import { NO_WORKER, sayRefusal } from '../notifications/say-refusal.ts';
import { useToast } from '../notifications/toasts.tsx';
import { useIsHosted } from './hosted.ts';

interface AccountProps {
  /** null until the worker has said who it is. */
  readonly user: SessionUser | null;
  /** Where a guest makes an account of their own; they have no other way back in, so they are not signed out. */
  readonly onKeep?: () => void;
}

/** Who is signed in, and the way out; not the way out where the extension signs its users in itself. */
export function Account({ user, onKeep }: AccountProps): ReactNode {
  const { leaving, signOut } = useSignOut();
  const isHosted = useIsHosted();
  const isGuest = user?.isAnonymous === true;
  const name = user?.displayName ?? null;
  const email = user?.email ?? null;
  return (
    <section className="billing-account" aria-label={t('accountTitle')}>
      <p className="billing-account-who">
        {name && <strong dir="auto">{name}</strong>}
        {isGuest && <strong>{t('accountGuest')}</strong>}
        {!isGuest && <span dir="auto">{email ?? (user === null ? ' ' : t('accountNoEmail'))}</span>}
        {isGuest && !isHosted && <span className="billing-hint">{t('guestWhere')}</span>}
      </p>
      {isHosted ? null : isGuest && onKeep ? (
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

/** Signs out; a refusal is said in the user's language. */
export function useSignOut(): { readonly leaving: boolean; readonly signOut: () => void } {
  const [leaving, setLeaving] = useState(false);
  const say = useToast();
  const signOut = (): void => {
    setLeaving(true);
    send('authSignOut', {})
      .then(
        (result) => result.ok || sayRefusal(say, result),
        () => sayRefusal(say, NO_WORKER),
      )
      .finally(() => setLeaving(false));
  };
  return { leaving, signOut };
}

/** Key in `chrome.storage.local`, of the user interface's own: whether somebody had an account of their own here before. */
const KNOWN_KEY = 'billingHadAccount';
const parse = (stored: unknown): true | null => (stored === true ? true : null);

/** Whether nobody ever signed in here, other than as a guest; undefined until it was read. */
export function useIsNewcomer(): boolean | undefined {
  const { value } = useStoredValue('local', KNOWN_KEY, parse);
  return value === undefined ? undefined : value === null;
}

/** Remembers that somebody with an account of their own was here: from then on the form asks to sign in first. */
export function useRememberAccount(user: SessionUser | null): void {
  const { value, store } = useStoredValue('local', KNOWN_KEY, parse);
  const isNamed = user !== null && !user.isAnonymous;
  useEffect(() => {
    if (isNamed && value === null) store(true);
  }, [isNamed, value, store]);
}
