import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { formatDay } from '../format/format-date.ts';
import { PackList } from '../plans/pack-list.tsx';
import { t } from '../text/t.ts';
import './wall.css';

interface TopUpWallProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  readonly onDismiss: () => void;
}

/** The sheet under an empty meter: packs to buy, and a way out. It takes the focus, keeps it, and gives it back. */
export function TopUpWall({ snapshot, now, onDismiss }: TopUpWallProps): ReactNode {
  const sheet = useRef<HTMLElement>(null);
  const titleId = useId();

  useEffect(() => {
    const before = document.activeElement;
    sheet.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.preventDefault(); // otherwise Escape closes the whole popup
      onDismiss();
    }
    if (event.key === 'Tab') keepInside(event, sheet.current);
  };

  return (
    <section
      ref={sheet}
      className="billing-wall"
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      data-testid="topup-wall"
    >
      <div className="billing-wall-head">
        <h2 id={titleId}>{t('wallTitle')}</h2>
        <button
          type="button"
          className="billing-wall-close"
          aria-label={t('wallDismiss')}
          onClick={onDismiss}
          data-testid="topup-wall-dismiss"
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4 4l8 8m0-8l-8 8" />
          </svg>
        </button>
      </div>
      <p className="billing-wall-words">{wallWords(snapshot, now)}</p>
      <PackList emphasis />
    </section>
  );
}

function wallWords({ state, currentPeriodEnd, credits }: EntitlementSnapshot, now: number): string {
  const renews = state === 'trial' || state === 'active';
  if (renews && currentPeriodEnd !== null && (credits?.monthlyCredits ?? 0) > 0) {
    return t('wallWordsReset', formatDay(currentPeriodEnd, now));
  }
  return t('wallWords');
}

function keepInside(event: KeyboardEvent, sheet: HTMLElement | null): void {
  const stops = [...(sheet?.querySelectorAll<HTMLElement>('button:not(:disabled)') ?? [])];
  const [first, last] = [stops.at(0), stops.at(-1)];
  const at = document.activeElement;
  if (event.shiftKey && (at === first || at === sheet)) {
    event.preventDefault();
    last?.focus();
  } else if (!event.shiftKey && at === last) {
    event.preventDefault();
    first?.focus();
  }
}
