import type { EntitlementSnapshot } from '@extension-billing/client/content';
import {
  Balance,
  ManageAccount,
  PackList,
  PlanGrid,
  PlanStatus,
  type SignedInView,
  type SignedOutView,
  Surface,
  t,
  Usage,
  usePricing,
} from '@extension-billing/client/react';
import { type ReactNode, type Ref, useRef } from 'react';
import { DemoFeatures, featureNames } from '../demo-features.tsx';
import { demoText } from '../demo-text.ts';
import { hasGoogle, hasMailLink } from '../has-google.ts';
import { sellsPlans } from '../sells-plans.ts';
import './options-page.css';

/** What is sold, the balance, what was spent and the account. */
export function OptionsPage(): ReactNode {
  return (
    <Surface
      layout="full"
      title={demoText('extensionName')}
      google={hasGoogle}
      mailLink={hasMailLink}
      guest
      onKeepAccount={() => document.querySelector('#account')?.scrollIntoView()}
      signedOut={(view) => <SignedOut {...view} />}
    >
      {(view) => <SignedIn {...view} />}
    </Surface>
  );
}

function SignedOut({ snapshot, signIn }: SignedOutView): ReactNode {
  return (
    <div className="options">
      <div className="options-main">
        <Offers snapshot={snapshot} />
      </div>
      <aside className="options-side" aria-label={t('signInTitle')}>
        {signIn}
      </aside>
    </div>
  );
}

interface OffersProps {
  readonly snapshot: EntitlementSnapshot;
  readonly packs?: Ref<HTMLElement>;
}

/** What this extension sells of the catalogue: plans, packs, or both. */
function Offers({ snapshot, packs }: OffersProps): ReactNode {
  const catalog = usePricing();
  return (
    <>
      {sellsPlans(catalog, snapshot) && (
        <section className="options-section">
          <PlanGrid snapshot={snapshot} />
        </section>
      )}
      {catalog.packs.length > 0 && (
        <section className="options-section" ref={packs}>
          <h2>{demoText('packsTitle')}</h2>
          <div className="billing-card">
            <PackList />
          </div>
        </section>
      )}
    </>
  );
}

function SignedIn({ snapshot, user, now, onAccountChanged }: SignedInView): ReactNode {
  const catalog = usePricing();
  const sellsCredits = catalog.model !== 'subscription' || snapshot.credits !== null;
  const packs = useRef<HTMLElement>(null);
  const showPacks = (): void => {
    packs.current?.scrollIntoView({ block: 'center' });
    packs.current?.querySelector('button')?.focus({ preventScroll: true });
  };
  return (
    <div className="options">
      <div className="options-main">
        <Offers snapshot={snapshot} packs={packs} />
        {sellsCredits && (
          <section className="options-section">
            <h2>{t('usageTitle')}</h2>
            <div className="billing-card">
              <Usage snapshot={snapshot} now={now} featureNames={featureNames()} />
            </div>
          </section>
        )}
        <section className="options-section" id="account">
          <h2>{t('accountTitle')}</h2>
          <div className="billing-card">
            <ManageAccount
              user={user}
              snapshot={snapshot}
              google={hasGoogle}
              mailLink={hasMailLink}
              onChanged={onAccountChanged}
            />
          </div>
        </section>
      </div>
      <aside className="options-side" aria-label={demoText('balanceAndPlan')}>
        <Balance snapshot={snapshot} now={now} onTopUp={showPacks} featureNames={featureNames()}>
          <div className="billing-card">
            <PlanStatus snapshot={snapshot} now={now} plansOnPage />
          </div>
          <DemoFeatures snapshot={snapshot} />
        </Balance>
      </aside>
    </div>
  );
}
