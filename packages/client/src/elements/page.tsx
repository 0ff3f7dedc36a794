import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { onPricingChanged, wholeCatalog } from '../given-catalog.ts';
import { snapshotAt } from '../snapshot/access.ts';
import { type Toast, ToastContext, useToasts } from '../ui/notifications/toasts.tsx';
import { CheckoutProvider } from '../ui/plans/checkout.tsx';
import { ErrorBoundary } from '../ui/surface/error-boundary.tsx';
import { Loading } from '../ui/surface/loading.tsx';
import { didNotLoad, useSurface } from '../ui/surface/surface.tsx';
import { PlanWallProvider } from '../ui/wall/wall-state.tsx';
import type { BillingElement } from './billing-element.ts';
import type { ConnectedElements } from './connected.ts';
import type { ElementName } from './definitions.ts';
import { InShadow } from './in-shadow.tsx';
import { PageContext } from './page-context.ts';
import { ELEMENT_VIEWS, layoutOf } from './views.tsx';

/**
 * All elements of a page as one tree, each in its own shadow root: they share the checkout that is open, the wall that a
 * button raised, and the one toast.
 */
export function Page({ connected }: { readonly connected: ConnectedElements }): ReactNode {
  const elements = useSyncExternalStore(connected.subscribe, connected.get);
  const isPriced = useSyncExternalStore(onPricingChanged, hasCatalog);
  if (elements.length === 0) return null;
  if (!isPriced) return <WaitingPage elements={elements} />;
  return (
    <ErrorBoundary name="Billing" fallback={(retry) => <BrokenPage elements={elements} retry={retry} />}>
      <PricedPage elements={elements} />
    </ErrorBoundary>
  );
}
const hasCatalog = (): boolean => wholeCatalog !== null;

interface PageProps {
  readonly elements: readonly BillingElement[];
}

/** Before there is a catalogue. */
function WaitingPage({ elements }: PageProps): ReactNode {
  return inEachPanel(elements, (layout) => <Loading layout={layout} />);
}

function BrokenPage({ elements, retry }: PageProps & { readonly retry: () => void }): ReactNode {
  return inEachPanel(elements, () => didNotLoad(retry));
}

function inEachPanel(
  elements: readonly BillingElement[],
  show: (layout: 'compact' | 'full') => ReactNode,
): ReactNode {
  return elements.map((element) => {
    const layout = layoutOf(element);
    return layout === 'part' ? null : (
      <InShadow key={keyOf(element)} element={element} layout={layout} toast={null} onDismiss={() => {}}>
        {show(layout)}
      </InShadow>
    );
  });
}

function PricedPage({ elements }: PageProps): ReactNode {
  const { toast, say, dismiss } = useToasts();
  return (
    <ToastContext.Provider value={say}>
      <CheckoutProvider>
        <PlanWallProvider>
          <Elements elements={elements} toast={toast} onDismiss={dismiss} />
        </PlanWallProvider>
      </CheckoutProvider>
    </ToastContext.Provider>
  );
}

interface ElementsProps extends PageProps {
  readonly toast: Toast | null;
  readonly onDismiss: () => void;
}

function Elements({ elements, toast, onDismiss }: ElementsProps): ReactNode {
  const state = useSurface();
  const { now, isWaiting } = state;
  const first = (kind: ElementName) => elements.find((element) => element.kind === kind);
  const panel = first('billing-panel');
  const signsIn = panel ?? first('billing-plans') ?? first('billing-wall');
  useSignedInEvent(state.snapshot?.uid, signsIn);

  const acted = useRef<BillingElement | null>(null);
  const place = panel ?? elements.find((element) => element === acted.current) ?? elements[0];
  // Where something was said it stays, whatever is pressed meanwhile.
  const [said, setSaid] = useState<Said>({ toast: null, place });
  if (toast !== said.toast) setSaid({ toast, place });

  const snapshot = state.snapshot === null || isWaiting ? null : snapshotAt(state.snapshot, now);
  return (
    <PageContext.Provider value={{ state, snapshot, elements, signsIn }}>
      {elements.map((element) => {
        const View = ELEMENT_VIEWS[element.kind];
        return (
          <InShadow
            key={keyOf(element)}
            element={element}
            layout={layoutOf(element)}
            toast={said.place === element ? said.toast : null}
            onDismiss={onDismiss}
            onAct={() => {
              acted.current = element;
            }}
          >
            <View element={element} />
          </InShadow>
        );
      })}
    </PageContext.Provider>
  );
}

interface Said {
  readonly toast: Toast | null;
  readonly place: BillingElement | undefined;
}

/** Says to the page around that somebody has signed in, wherever they did. */
function useSignedInEvent(uid: string | null | undefined, place: BillingElement | undefined): void {
  const before = useRef(uid);
  useEffect(() => {
    const last = before.current;
    before.current = uid;
    if (last === null && typeof uid === 'string') place?.say('billing-signed-in', {});
  }, [uid, place]);
}

const keys = new WeakMap<BillingElement, number>();
let lastKey = 0;

function keyOf(element: BillingElement): number {
  const key = keys.get(element) ?? ++lastKey;
  keys.set(element, key);
  return key;
}
