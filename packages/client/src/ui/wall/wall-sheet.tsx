import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { CloseButton } from '../close-button.tsx';
import './wall.css';

export interface WallSheetControl {
  readonly onDismiss: () => void;
  /** Something that was done in this page raised it, so that the focus may follow. Never true when a page opens. */
  readonly takesFocus?: boolean;
  /** The sheet has the focus, if it takes it: what stands below may be made inert now, and not before. */
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

/**
 * A sheet in the page with something to buy, and a way out: its cross, or Escape. Not modal: the page around it stays
 * within reach of Tab, but for what its surface makes inert. Gives the focus back that it took.
 */
export function WallSheet(props: WallSheetProps): ReactNode {
  const { title, words, onDismiss, takesFocus = false, onUp, testId, tone = 'plain', children } = props;
  const sheet = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const hadFocus = useRef(false);
  const titleId = useId();

  useEffect(() => {
    const focused = focusedAround(sheet.current);
    if (takesFocus && mayMoveFrom(focused)) {
      before.current ??= focused;
      sheet.current?.focus({ preventScroll: true });
    }
    onUp?.();
  }, [takesFocus, onUp]);
  // Known before the sheet is taken out of the page; the focus goes back after what was inert no longer is.
  useLayoutEffect(() => {
    const current = sheet.current;
    return () => {
      hadFocus.current = current?.contains(focusedAround(current)) ?? false;
    };
  }, []);
  useEffect(
    () => () => {
      const { current } = before;
      if (hadFocus.current && current instanceof HTMLElement && current.isConnected) {
        current.focus({ preventScroll: true });
      }
    },
    [],
  );
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault(); // otherwise Escape closes the whole popup
      onDismiss();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onDismiss]);

  return (
    <section
      ref={sheet}
      className="billing-wall"
      data-tone={tone}
      role="dialog"
      aria-labelledby={titleId}
      tabIndex={-1}
      data-testid={testId}
    >
      <div className="billing-wall-head">
        <h2 id={titleId}>{title}</h2>
        <CloseButton onClick={onDismiss} data-testid={`${testId}-dismiss`} />
      </div>
      <p className="billing-wall-words">{words}</p>
      {children}
    </section>
  );
}

/** What has the focus in the document or the shadow root that an element stands in. */
function focusedAround(element: Element | null): Element | null {
  const root = element?.getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root.activeElement : null;
}

/** Not out of a field in which somebody is typing, and not in a page that nobody looks at. */
function mayMoveFrom(focused: Element | null): boolean {
  return document.hasFocus() && !focused?.matches('input, textarea, select, [contenteditable]');
}
