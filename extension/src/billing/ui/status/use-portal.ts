import { useCallback, useState } from 'react';
import { send } from '../../send.ts';
import { useToast } from '../feedback.tsx';
import { t } from '../text/t.ts';

/** Opens the provider's portal in a tab; a refusal is said in its own words. */
export function usePortal(): { readonly opening: boolean; readonly open: () => void } {
  const [opening, setOpening] = useState(false);
  const say = useToast();
  const open = useCallback(() => {
    setOpening(true);
    send('billingPortal', {})
      .then(
        (result) => result.ok || say('refused', result.message),
        () => say('refused', t('errorNoWorker')),
      )
      .finally(() => setOpening(false));
  }, [say]);
  return { opening, open };
}
