import { useEffect } from 'react';
import type { SessionUser } from '../../messages.ts';
import { useStoredValue } from '../use-stored-value.ts';

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
