import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from '../text/t.ts';
import './wall.css';

export interface WallSheetControl {
  readonly onDismiss: () => void;
  /** The sheet has the focus: what stands below may be made inert now, and not before, or the focus is lost. */
  readonly onUp?: () => void;
}

interface WallSheetProps extends WallSheetControl {
  readonly title: string;
  readonly words: string;
  /** `x` marks the sheet, and `x-dismiss` the way out. */
  readonly testId: string;
  /** `warning`: something has run out. */
  readonly tone?: 'warning' | 'plain';
  readonly children: ReactNode;
}

/** A sheet in the page with something to buy, and a way out. It takes the focus, keeps it, and gives it back. */
export function WallSheet(props: WallSheetProps): ReactNode {
  const { title, words, onDismiss, onUp, testId, tone = 'plain', children } = props;
  const sheet = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const titleId = useId();

  useEffect(() => {
    before.current ??= document.activeElement;
    sheet.current?.focus({ preventScroll: true });
    onUp?.();
    return () => {
      const { current } = before;
      if (current instanceof HTMLElement && current.isConnected) current.focus({ preventScroll: true });
    };
  }, [onUp]);

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
      data-tone={tone}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      data-testid={testId}
    >
      <div className="billing-wall-head">
        <h2 id={titleId}>{title}</h2>
        <button
          type="button"
          className="billing-wall-close"
          aria-label={t('wallDismiss')}
          onClick={onDismiss}
          data-testid={`${testId}-dismiss`}
        >
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M4 4l8 8m0-8l-8 8" />
          </svg>
        </button>
      </div>
      <p className="billing-wall-words">{words}</p>
      {children}
    </section>
  );
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
