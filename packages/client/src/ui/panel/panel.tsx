import { type ReactNode, type Ref, useRef, useState } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { pageBrowser } from '../../page-browser.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Account } from '../account/account.tsx';
import { useIsHosted } from '../account/hosted.ts';
import { ManageAccount } from '../account/manage-account.tsx';
import { SignInForm } from '../account/sign-in.tsx';
import { useToast } from '../notifications/toasts.tsx';
import { derivePlanChoice } from '../plans/choices.ts';
import { PackList } from '../plans/packs.tsx';
import { PlanGrid } from '../plans/plan-grid.tsx';
import { PlanList } from '../plans/plan-list.tsx';
import { PlanStatus } from '../status/plan-status.tsx';
import { Balance } from '../surface/balance.tsx';
import { type SignedInView, type SignedOutView, Surface } from '../surface/surface.tsx';
import { t } from '../text/texts.ts';
import { Usage } from '../usage/usage.tsx';
import './panel.css';

/** What a panel shows, and whom it lets in. */
export interface PanelProps {
  /** `compact`: one column, for a popup or a side panel. `full`: a page with everything, usage and the account too. */
  readonly layout?: 'compact' | 'full';
  /** The heading; the extension's own name without it. */
  readonly heading?: string | undefined;
  /** Whether this build has Google sign-in set up. */
  readonly google?: boolean;
  /** Whether somebody may start as a guest (Firebase's anonymous sign-in has to be switched on). */
  readonly guest?: boolean;
  /** Whether people may sign in by a link that is mailed to them (`signInLinkUrl`). */
  readonly mailLink?: boolean;
  /** The extension's own way in, where it signs its users in itself (`BillingConfig.identity`). */
  readonly hostSignIn?: ReactNode;
  /** What the features are called, by their names in the catalogue. */
  readonly featureNames?: Readonly<Record<string, string>> | undefined;
  /** The extension's own, between the balance and the plan. Somebody is signed in there, and their state is known. */
  readonly children?: ReactNode | ((view: SignedInView) => ReactNode);
}

/** The whole of billing in one piece: signing in, the balance and its walls, the plan, what is sold, and the account. */
export function Panel(props: PanelProps): ReactNode {
  const panel = usePanel(props);
  return <Surface {...panel}>{panel.children}</Surface>;
}

/** What a surface needs to be the panel. */
export function usePanel(props: PanelProps) {
  const { layout = 'compact', heading, google = false, guest = false, mailLink = false, hostSignIn } = props;
  const place = useRef<HTMLElement>(null);
  const onKeepAccount = (): void => {
    place.current?.scrollIntoView({ block: 'center' });
    place.current?.querySelector('input')?.focus({ preventScroll: true });
  };
  const Inside = layout === 'full' ? FullPanel : CompactPanel;
  return {
    layout,
    google,
    guest,
    mailLink,
    ...(hostSignIn !== undefined && { hostSignIn }),
    onKeepAccount,
    title: heading || (pageBrowser().runtime.getManifest().name ?? ''),
    children: (view: SignedInView): ReactNode => (
      <Inside {...props} {...view} google={google} mailLink={mailLink} account={place} />
    ),
    ...(layout === 'full' && {
      signedOut: (view: SignedOutView): ReactNode => <SignedOutPanel {...view} />,
    }),
  };
}

interface InsideProps extends SignedInView, Pick<PanelProps, 'featureNames' | 'children'> {
  readonly google: boolean;
  readonly mailLink: boolean;
  /** Where a guest makes an account of their own. */
  readonly account: Ref<HTMLElement>;
}

function CompactPanel(props: InsideProps): ReactNode {
  const { snapshot, now, user, featureNames, google, mailLink, account, onAccountChanged } = props;
  const packs = useRef<HTMLElement>(null);
  const [isKeeping, setIsKeeping] = useState(false);
  const say = useToast();
  // Who has a plan changes it on a page where plans stand side by side.
  const sellsPlans = !snapshot.paid && canBuyPlan(snapshot);
  const onKept = (): void => {
    setIsKeeping(false);
    say('done', t('accountKept'));
    onAccountChanged();
  };
  return (
    <Balance
      snapshot={snapshot}
      now={now}
      onTopUp={() => showFirstButton(packs.current)}
      featureNames={featureNames}
      blocks
    >
      <Own {...props} />
      <div className="billing-card">
        <PlanStatus snapshot={snapshot} now={now} plansOnPage={sellsPlans} />
      </div>
      {sellsPlans && (
        <section className="billing-card" aria-label={t('plansTitle')}>
          <PlanList snapshot={snapshot} />
        </section>
      )}
      {givenCatalog.packs.length > 0 && <PackCard place={packs} />}
      {isKeeping && user?.isAnonymous ? (
        <section className="billing-card" aria-label={t('accountTitle')} ref={account}>
          <SignInForm purpose="keep" google={google} mailLink={mailLink} onSignedIn={onKept} />
        </section>
      ) : (
        <Account user={user} onKeep={() => setIsKeeping(true)} />
      )}
    </Balance>
  );
}

function FullPanel(props: InsideProps): ReactNode {
  const { snapshot, now, user, featureNames, google, mailLink, account, onAccountChanged } = props;
  const packs = useRef<HTMLElement>(null);
  const isHosted = useIsHosted();
  const usesCredits = givenCatalog.model !== 'subscription' || snapshot.credits !== null;
  return (
    <Columns
      sideLabel={t('balanceAndPlan')}
      side={
        <Balance
          snapshot={snapshot}
          now={now}
          onTopUp={() => showFirstButton(packs.current)}
          featureNames={featureNames}
        >
          <div className="billing-card">
            <PlanStatus snapshot={snapshot} now={now} plansOnPage />
          </div>
          <Own {...props} />
        </Balance>
      }
    >
      <Offers snapshot={snapshot} packs={packs} />
      {usesCredits && (
        <section className="billing-panel-section">
          <h2>{t('usageTitle')}</h2>
          <div className="billing-card">
            <Usage snapshot={snapshot} now={now} {...(featureNames && { featureNames })} />
          </div>
        </section>
      )}
      {!isHosted && (
        <section className="billing-panel-section" ref={account}>
          <h2>{t('accountTitle')}</h2>
          <div className="billing-card">
            <ManageAccount
              user={user}
              snapshot={snapshot}
              google={google}
              mailLink={mailLink}
              onChanged={onAccountChanged}
            />
          </div>
        </section>
      )}
    </Columns>
  );
}

function SignedOutPanel({ snapshot, signIn }: SignedOutView): ReactNode {
  return (
    <Columns side={signIn} sideLabel={t('signInTitle')}>
      <Offers snapshot={snapshot} />
    </Columns>
  );
}

interface ColumnsProps {
  readonly side: ReactNode;
  readonly sideLabel: string;
  readonly children: ReactNode;
}

/** Two columns where the panel has the room, and else the narrow one on top. */
function Columns({ side, sideLabel, children }: ColumnsProps): ReactNode {
  return (
    <div className="billing-panel">
      <div className="billing-panel-columns">
        <div className="billing-panel-main">{children}</div>
        <aside className="billing-panel-side" aria-label={sideLabel}>
          {side}
        </aside>
      </div>
    </div>
  );
}

/** What the extension has put into the panel. */
function Own({ children, ...view }: InsideProps): ReactNode {
  const own = typeof children === 'function' ? children(view) : children;
  return own && <div className="billing-panel-own">{own}</div>;
}

interface OffersProps {
  readonly snapshot: EntitlementSnapshot;
  /** `list`: rows for a narrow place. */
  readonly layout?: 'grid' | 'list';
  /** Nothing but this. */
  readonly only?: 'plans' | 'packs' | null;
  readonly packs?: Ref<HTMLElement>;
}

/** What is sold: plans, packs, or both. */
export function Offers({ snapshot, layout = 'grid', only = null, packs }: OffersProps): ReactNode {
  return (
    <>
      {only !== 'packs' && offersPlans(snapshot) && (
        <section className="billing-panel-section">
          {layout === 'grid' ? (
            <PlanGrid snapshot={snapshot} />
          ) : (
            canBuyPlan(snapshot) && (
              <div className="billing-card">
                <PlanList snapshot={snapshot} />
              </div>
            )
          )}
        </section>
      )}
      {only !== 'plans' && givenCatalog.packs.length > 0 && (
        <section className="billing-panel-section" ref={packs}>
          <h2>{t('packsTitle')}</h2>
          <div className="billing-card">
            <PackList />
          </div>
        </section>
      )}
    </>
  );
}

/** Packs on a card of their own. */
export function PackCard({ place }: { readonly place?: Ref<HTMLElement> }): ReactNode {
  return (
    <section className="billing-card" aria-label={t('packsTitle')} ref={place}>
      <PackList />
    </section>
  );
}

/** Whether plans are to be shown: the owner of a lifetime plan that has them all is offered none. */
function offersPlans(snapshot: EntitlementSnapshot): boolean {
  return givenCatalog.plans.length > 0 && (snapshot.state !== 'lifetime' || canBuyPlan(snapshot));
}

function canBuyPlan(snapshot: EntitlementSnapshot): boolean {
  return givenCatalog.plans.some((plan) => derivePlanChoice(plan, snapshot, givenCatalog).kind === 'buy');
}

/** Brings a place into view, and the focus to its first button. */
function showFirstButton(place: (ParentNode & Element) | null): void {
  place?.scrollIntoView({ block: 'center' });
  place?.querySelector('button')?.focus({ preventScroll: true });
}
