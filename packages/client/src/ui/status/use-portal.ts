import { useCallback, useState } from 'react';
import { send } from '../../send.ts';
import { useToast } from '../feedback.tsx';
import { refusalText } from '../text/refusal-text.ts';
import { t } from '../text/t.ts';

/** Opens the provider's portal in a tab; a refusal is said in the user's language. */
export function usePortal(): { readonly opening: boolean; readonly open: () => void } {
  const [opening, setOpening] = useState(false);
  const say = useToast();
  const open = useCallback(() => {
    setOpening(true);
    send('billingPortal', {})
      .then(
        (result) => result.ok || say('refused', refusalText(result)),
        () => say('refused', t('errorNoWorker')),
      )
      .finally(() => setOpening(false));
  }, [say]);
  return { opening, open };
}
