import { Component, type ReactNode, useEffect } from 'react';
import { onPricingChanged } from '../../given-catalog.ts';
import { useBillingKeepAlive } from '../../hooks.ts';
import { snapshotStore } from '../../snapshot/read.ts';

interface ErrorBoundaryProps {
  /** For the console. */
  readonly name: string;
  /** In the place of what could not be shown. */
  readonly fallback: (retry: () => void) => ReactNode;
  readonly children: ReactNode;
}

/**
 * Keeps an error in one part of a page from leaving all of it blank. It goes on waking the worker, which writes a good
 * snapshot over a bad one, and renders again when the snapshot or the catalogue changes.
 */
export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly isBroken: boolean }> {
  override state = { isBroken: false };
  static getDerivedStateFromError() {
    return { isBroken: true };
  }
  readonly #retry = (): void => this.setState({ isBroken: false });
  override componentDidCatch(error: unknown): void {
    console.error(`${this.props.name} could not be shown:`, error);
  }
  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    return <Broken onRetry={this.#retry}>{this.props.fallback(this.#retry)}</Broken>;
  }
}

interface BrokenProps {
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

function Broken({ onRetry, children }: BrokenProps): ReactNode {
  useBillingKeepAlive();
  useEffect(() => {
    const stops = [snapshotStore().subscribe(onRetry), onPricingChanged(onRetry)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [onRetry]);
  return children;
}
