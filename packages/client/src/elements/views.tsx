import { type ComponentType, type ReactNode, useState } from 'react';
import { givenCatalog } from '../given-catalog.ts';
import type { EntitlementSnapshot } from '../snapshot/snapshot.ts';
import { BalanceMeter } from '../ui/meter/balance-meter.tsx';
import { Offers, PackCard, usePanel } from '../ui/panel/panel.tsx';
import { useCheckout } from '../ui/plans/checkout.tsx';
import { Balance } from '../ui/surface/balance.tsx';
import { SurfaceView, wayIn } from '../ui/surface/surface.tsx';
import { useWall } from '../ui/wall/wall-state.tsx';
import type { BillingElement } from './billing-element.ts';
import { ButtonView } from './button-view.tsx';
import { type ElementName, type FeatureNames, parseNames } from './definitions.ts';
import { useElementsPage } from './page-context.ts';

interface ViewProps {
  readonly element: BillingElement;
}

/** What each element shows. */
export const ELEMENT_VIEWS: Readonly<Record<ElementName, ComponentType<ViewProps>>> = {
  'billing-panel': PanelView,
  'billing-balance': BalanceView,
  'billing-plans': PlansView,
  'billing-wall': WallView,
  'billing-button': ButtonView,
};

/** How an element stands in the page: only the panel is a page of its own. */
export function layoutOf(element: BillingElement): 'compact' | 'full' | 'part' {
  if (element.kind !== 'billing-panel') return 'part';
  return element.getAttribute('layout') === 'full' ? 'full' : 'compact';
}

const namesOf = (element: BillingElement): FeatureNames | undefined =>
  parseNames(element.getAttribute('feature-names'));

function PanelView({ element }: ViewProps): ReactNode {
  const { state } = useElementsPage();
  const panel = usePanel({
    layout: layoutOf(element) === 'full' ? 'full' : 'compact',
    heading: element.getAttribute('heading') ?? undefined,
    google: element.hasAttribute('google'),
    guest: element.hasAttribute('guest'),
    mailLink: element.hasAttribute('mail-link'),
    featureNames: namesOf(element),
    hostSignIn: ownSignIn(element),
    children: <slot />,
  });
  return <SurfaceView {...panel} {...state} />;
}

/** What the page has put in the place of the sign-in form. */
function ownSignIn(element: BillingElement): ReactNode {
  const isThere = element.querySelector(':scope > [slot="sign-in"]') !== null;
  return isThere ? <slot name="sign-in" /> : undefined;
}

function BalanceView({ element }: ViewProps): ReactNode {
  const { state, snapshot, elements } = useElementsPage();
  const [showsPacks, setShowsPacks] = useState(false);
  const { phase } = useWall(snapshot);
  if (snapshot === null || snapshot.uid === null) return null;
  const topUp = (): void => {
    if (!element.say('billing-top-up', {})) return;
    const button = packButton(elements);
    if (button === null || showsPacks) setShowsPacks((shown) => !shown);
    button?.scrollIntoView({ block: 'center' });
    button?.focus({ preventScroll: true });
  };
  const sellsBelow = elements.some(({ kind }) => kind === 'billing-wall' || kind === 'billing-panel');
  return (
    <div className="billing-part">
      <BalanceMeter
        snapshot={snapshot}
        now={state.now}
        onTopUp={topUp}
        isWallRaised={phase === 'raised' && sellsBelow}
      />
      {showsPacks && <PackCard />}
    </div>
  );
}

/** The first button of the page that buys a pack. */
function packButton(elements: readonly BillingElement[]): HTMLElement | null {
  const { packs } = givenCatalog;
  const pack = packs.find(({ popular }) => popular) ?? packs[0];
  if (pack === undefined) return null;
  for (const { shadowRoot } of elements) {
    const button = shadowRoot?.querySelector<HTMLElement>(`[data-testid="buy-${pack.lookupKey}"]`);
    if (button) return button;
  }
  return null;
}

function PlansView({ element }: ViewProps): ReactNode {
  const { snapshot } = useElementsPage();
  if (snapshot === null) return null;
  const only = element.getAttribute('only');
  return (
    <div className="billing-part">
      <SignInToBuy element={element} snapshot={snapshot} />
      <Offers
        snapshot={snapshot}
        layout={element.getAttribute('layout') === 'list' ? 'list' : 'grid'}
        only={only === 'plans' || only === 'packs' ? only : null}
      />
    </div>
  );
}

function WallView({ element }: ViewProps): ReactNode {
  const { state, snapshot } = useElementsPage();
  if (snapshot === null) return null;
  return (
    <div className="billing-part">
      <SignInToBuy element={element} snapshot={snapshot} />
      <Balance
        snapshot={snapshot}
        now={state.now}
        featureNames={namesOf(element)}
        wallsOnly
        onTopUp={() => {}}
      />
    </div>
  );
}

interface SignInToBuyProps extends ViewProps {
  readonly snapshot: EntitlementSnapshot;
}

/** The sign-in form, for somebody who wants to buy, where no panel has it already. Its checkout opens after it. */
function SignInToBuy({ element, snapshot }: SignInToBuyProps): ReactNode {
  const { state, signsIn } = useElementsPage();
  const { wanted } = useCheckout();
  if (signsIn !== element || wanted === null || snapshot.uid !== null) return null;
  const host = ownSignIn(element);
  return wayIn(
    host !== undefined || state.session?.host !== undefined,
    {
      google: element.hasAttribute('google'),
      guest: element.hasAttribute('guest'),
      mailLink: element.hasAttribute('mail-link'),
      onSignedIn: state.refresh,
    },
    host,
  );
}
