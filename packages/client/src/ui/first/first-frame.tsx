import { Component, type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { LoadFailed } from '../surface/load-failed.tsx';
import { afterPaint } from './after-paint.ts';
import { FirstLook, type FirstLookProps } from './first-look.tsx';

/** A first frame, and how the page after it is loaded. */
export interface FirstFrameProps extends FirstLookProps {
  /** Loads the page: its module has the component as its default export. Give it a stable function. */
  readonly page: () => Promise<{ readonly default: ComponentType }>;
}

/** A first look that cannot be rendered leaves its place to the page, which says what to do. */
class NothingIfBroken extends Component<{ readonly children: ReactNode }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { readonly isBroken: true } {
    return { isBroken: true };
  }
  override render(): ReactNode {
    return this.state.isBroken ? null : this.props.children;
  }
}

/**
 * A page in two steps. Its first frame shows what is known last, by as little code as that takes; the page itself is
 * loaded when that was painted, and takes its place in one render, with everything where it was. Until then nothing can
 * be pressed, and a screen reader hears nothing twice. Where the page cannot be loaded, it says so and offers to try again.
 *
 * Wait for `firstFrameReady` before the first render.
 */
export function FirstFrame({ page, ...look }: FirstFrameProps): ReactNode {
  const [Page, setPage] = useState<ComponentType | 'failed' | null>(null);
  useEffect(() => {
    // A module is loaded once, however often it is asked for.
    afterPaint(() => {
      page().then(
        (loaded) => setPage(() => loaded.default),
        () => setPage('failed'),
      );
    });
  }, [page]);
  if (Page === null) {
    return (
      <NothingIfBroken>
        <FirstLook {...look} />
      </NothingIfBroken>
    );
  }
  if (Page !== 'failed') return <Page />;
  return (
    <div className="billing-page" data-layout={look.layout}>
      <main className="billing-main">
        {/* A module that did not load once is not asked for again by the same page (in Chrome as of 2026). */}
        <LoadFailed onRetry={() => location.reload()} />
      </main>
    </div>
  );
}
