import { type ReactNode, useEffect, useState } from 'react';
import { send } from '../../send.ts';
import { t } from '../text/texts.ts';
import { LoadFailed } from './load-failed.tsx';
import './loading.css';

/** Longer than a page waits for the server's word on access that lapsed (ANSWER_WITHIN_MS). */
const PATIENCE_MS = 12_000;

/** The shape of what will come. After a while without an answer it says what to do. */
export function Loading({ layout }: { readonly layout: 'compact' | 'full' }): ReactNode {
  const [attempt, setAttempt] = useState(0);
  const [failedAttempt, setFailedAttempt] = useState(-1);
  useEffect(() => {
    const timer = setTimeout(() => setFailedAttempt(attempt), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [attempt]);
  const retry = (): void => {
    setAttempt((count) => count + 1);
    send('billingHello', {}).catch(() => setFailedAttempt(attempt + 1));
  };
  return failedAttempt === attempt ? (
    <LoadFailed words={t('loadFailedWords')} onRetry={retry} />
  ) : (
    <Skeleton layout={layout} />
  );
}

function Skeleton({ layout }: { readonly layout: 'compact' | 'full' }): ReactNode {
  return (
    <div className="billing-skeleton" data-layout={layout} role="status" data-testid="loading">
      <span className="billing-visually-hidden">{t('loading')}</span>
      {layout === 'full' && (
        <div className="billing-skeleton-plans">
          <span className="billing-bone" />
          <span className="billing-bone" />
          <span className="billing-bone" />
        </div>
      )}
      <div className="billing-skeleton-column">
        <div className="billing-meter">
          <span className="billing-bone" data-size="title" />
          <span className="billing-bone" data-size="bar" />
          <span className="billing-bone" data-size="line" />
        </div>
        <div className="billing-card">
          <span className="billing-bone" data-size="line" />
          <span className="billing-bone" data-size="text" />
        </div>
      </div>
    </div>
  );
}
