import type { ReactNode } from 'react';
import { t } from './text/t.ts';
import './close-button.css';

interface CloseButtonProps {
  readonly onClick: () => void;
  readonly 'data-testid': string;
}

/** A cross that says "Close" to those who do not see it. */
export function CloseButton(props: CloseButtonProps): ReactNode {
  return (
    <button type="button" className="billing-close" aria-label={t('wallDismiss')} {...props}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M4 4l8 8m0-8l-8 8" />
      </svg>
    </button>
  );
}
