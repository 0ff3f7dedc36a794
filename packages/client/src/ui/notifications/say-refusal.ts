import { t } from '../text/texts.ts';
import type { Say } from './toasts.tsx';

/**
 * Says in a toast why the worker refused something, by its code; `no_worker` where it did not answer. The texts are read
 * when there is something to say; where their file is gone, the extension was updated under an open page.
 */
export function sayRefusal(say: Say, refusal: { readonly code: string }): void {
  import('../text/refusals.ts')
    .then(
      ({ refusalText }) => refusalText(refusal),
      () => t('refusedUpdated'),
    )
    .then((text) => say('refused', text));
}

export const NO_WORKER = { code: 'no_worker' } as const;
