import type { ReactNode } from 'react';
import { t } from '../text/texts.ts';

/** What to do where an account, or the page that shows it, did not load. Small: a first frame has it with it. */
export function LoadFailed({ onRetry }: { readonly onRetry: () => void }): ReactNode {
  return (
    <div className="billing-card billing-column" role="alert" data-testid="load-failed">
      <h2 className="billing-card-title">{t('loadFailedTitle')}</h2>
      <p className="billing-hint">{t('loadFailedWords')}</p>
      <button type="button" className="billing-button" onClick={onRetry}>
        {t('loadFailedRetry')}
      </button>
    </div>
  );
}
