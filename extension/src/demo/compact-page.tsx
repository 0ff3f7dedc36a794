import {
  Account,
  Balance,
  Button,
  PlanStatus,
  type SignedInView,
  Surface,
  usePricing,
} from '@extension-billing/client/react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { DemoFeatures, featureNames } from './demo-features.tsx';
import { demoText } from './demo-text.ts';
import { hasGoogle, hasMailLink } from './has-google.ts';
import { sellsPlans } from './sells-plans.ts';

const PackList = lazy(() => import('./packs.tsx'));

/** The popup and the side panel: the balance, the features, the plan, and a way to all plans. */
export function CompactPage(): ReactNode {
  return (
    <Surface
      layout="compact"
      title={demoText('extensionName')}
      google={hasGoogle}
      mailLink={hasMailLink}
      guest
    >
      {(view) => <SignedIn {...view} />}
    </Surface>
  );
}

function SignedIn({ snapshot, user, now }: SignedInView): ReactNode {
  const catalog = usePricing();
  const usesCredits = snapshot.credits !== null;
  const hasPlans = sellsPlans(catalog, snapshot);
  const features = <DemoFeatures snapshot={snapshot} />;
  const [showsPacks, setShowsPacks] = useState(false);
  return (
    <Balance
      snapshot={snapshot}
      now={now}
      onTopUp={() => setShowsPacks((shown) => !shown)}
      featureNames={featureNames()}
      blocks
    >
      {showsPacks && (
        <section className="billing-card" aria-label={demoText('packsTitle')}>
          <Suspense>
            <PackList />
          </Suspense>
        </section>
      )}
      {usesCredits && features}
      <div className="billing-card">
        <PlanStatus snapshot={snapshot} now={now}>
          {(hasPlans || catalog.packs.length > 0) && (
            <Button
              look={snapshot.plan === null ? 'primary' : 'secondary'}
              onClick={() => void chrome.runtime.openOptionsPage()}
            >
              {hasPlans ? demoText('openPlans') : demoText('openPacks')}
            </Button>
          )}
        </PlanStatus>
      </div>
      {!usesCredits && features}
      <Account user={user} onKeep={() => void chrome.runtime.openOptionsPage()} />
    </Balance>
  );
}
