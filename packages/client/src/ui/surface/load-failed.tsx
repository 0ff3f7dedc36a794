import type { ReactNode } from 'react';
import { t } from '../text/texts.ts';

interface LoadFailedProps {
  /** What to do about it, where there is more than to try again. */
  readonly words?: string;
  readonly onRetry: () => void;
}

/** What to do where an account, or the page that shows it, did not load. Small: a first frame has it with it. */
export function LoadFailed({ words, onRetry }: LoadFailedProps): ReactNode {
  return (
    <div className="billing-card billing-column" role="alert" data-testid="load-failed">
      <h2 className="billing-card-title">{t('loadFailedTitle')}</h2>
      {words && <p className="billing-hint">{words}</p>}
      <button type="button" className="billing-button" onClick={onRetry}>
        {t('loadFailedRetry')}
      </button>
    </div>
  );
}
