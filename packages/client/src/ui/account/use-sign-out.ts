import { useState } from 'react';
import { send } from '../../send.ts';
import { useToast } from '../feedback.tsx';
import { refusalText } from '../text/refusal-text.ts';
import { t } from '../text/t.ts';

/** Signs out; a refusal is said in the user's language. */
export function useSignOut(): { readonly leaving: boolean; readonly signOut: () => void } {
  const [leaving, setLeaving] = useState(false);
  const say = useToast();
  const signOut = (): void => {
    setLeaving(true);
    send('authSignOut', {})
      .then(
        (result) => result.ok || say('refused', refusalText(result)),
        () => say('refused', t('errorNoWorker')),
      )
      .finally(() => setLeaving(false));
  };
  return { leaving, signOut };
}
