import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { type Toast, Toasts } from '../ui/notifications/toasts.tsx';
import { ErrorBoundary } from '../ui/surface/error-boundary.tsx';
import { didNotLoad } from '../ui/surface/surface.tsx';
import { textLocale } from '../ui/text/texts.ts';
import type { BillingElement } from './billing-element.ts';
import { elementStyles } from './styles.ts';

interface InShadowProps {
  readonly element: BillingElement;
  /** `part`: no page of its own. */
  readonly layout: 'compact' | 'full' | 'part';
  readonly toast: Toast | null;
  readonly onDismiss: () => void;
  /** Something was pressed in it. */
  readonly onAct?: () => void;
  readonly children: ReactNode;
}

/** Shows something in an element, with its look and a place for toasts. */
export function InShadow(props: InShadowProps): ReactNode {
  const { element, layout, toast, onDismiss, onAct, children } = props;
  const shadow = element.shadowRoot;
  if (shadow === null) return null;
  // Empty again once the element was moved into another document.
  if (shadow.adoptedStyleSheets.length === 0)
    shadow.adoptedStyleSheets = [...elementStyles(element.ownerDocument)];
  return createPortal(
    <div className="billing-page" data-layout={layout} lang={textLocale()} onClickCapture={onAct}>
      <ErrorBoundary name={`<${element.kind}>`} fallback={layout === 'part' ? nothing : didNotLoad}>
        {children}
      </ErrorBoundary>
      <Toasts toast={toast} onDismiss={onDismiss} />
    </div>,
    shadow,
  );
}

const nothing = (): null => null;
