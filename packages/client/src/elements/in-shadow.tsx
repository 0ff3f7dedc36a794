import { Component, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { type Toast, Toasts } from '../ui/notifications/toasts.tsx';
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
  if (shadow.adoptedStyleSheets.length === 0) shadow.adoptedStyleSheets = [elementStyles()];
  return createPortal(
    <div className="billing-page" data-layout={layout} lang={textLocale()} onClickCapture={onAct}>
      <Contained name={element.kind}>{children}</Contained>
      <Toasts toast={toast} onDismiss={onDismiss} />
    </div>,
    shadow,
  );
}

interface ContainedProps {
  readonly name: string;
  readonly children: ReactNode;
}

/** Keeps an error in one element from taking the others with it. */
class Contained extends Component<ContainedProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };
  static getDerivedStateFromError() {
    return { isBroken: true };
  }
  override componentDidCatch(error: unknown): void {
    console.error(`<${this.props.name}> could not be shown:`, error);
  }
  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}
