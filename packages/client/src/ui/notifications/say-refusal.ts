import { wasReplaced } from '../../send.ts';
import { t } from '../text/texts.ts';
import type { Say } from './toasts.tsx';

/**
 * Says in a toast why the worker refused something, by its code; `no_worker` where it did not answer. The texts are read
 * when there is something to say.
 */
export function sayRefusal(say: Say, refusal: { readonly code: string }): void {
  import('../text/refusals.ts')
    .then(({ refusalText }) => refusalText(refusal), textOfNoFile)
    .then((text) => say('refused', text));
}

/**
 * Instead of a text whose file cannot be read: of an extension it is gone, because that was updated under an open page; a
 * web page may have no network.
 */
export function textOfNoFile(): string {
  return wasReplaced() || navigator.onLine ? t('refusedUpdated') : t('offline');
}

export const NO_WORKER = { code: 'no_worker' } as const;
