import {
  Balance,
  FeatureButton,
  PackList,
  PlanList,
  PlanStatus,
  type SignedInView,
  useBillingState,
  useCredits,
  useEntitlement,
} from '@extension-billing/client/react';
import { type ReactNode, useState } from 'react';
import { catalog } from './catalog.ts';

/** The first feature that the catalogue prices. */
const [FEATURE = ''] = Object.keys(catalog.features);

/** What somebody sees who is signed in: the same hooks and components as in the extension. */
export function Home({ snapshot, now }: SignedInView): ReactNode {
  const [done, setDone] = useState(0);
  return (
    <Balance
      snapshot={snapshot}
      now={now}
      onTopUp={() => document.querySelector('#packs')?.scrollIntoView()}
      featureNames={{ [FEATURE]: 'Do the thing' }}
    >
      <Greeting />
      <FeatureButton
        feature={FEATURE}
        label="Do the thing"
        snapshot={snapshot}
        onPaid={() => setDone((times) => times + 1)}
      />
      <output>{done === 0 ? '' : `Done ${done} times.`}</output>
      <PlanStatus snapshot={snapshot} now={now} plansOnPage />
      <PlanList snapshot={snapshot} />
      <div id="packs">
        <PackList />
      </div>
    </Balance>
  );
}

function Greeting(): ReactNode {
  const { entitled, loading } = useEntitlement('paid');
  const { balance } = useCredits();
  const state = useBillingState();
  if (loading) return null;
  return (
    <p data-testid="greeting">
      {entitled ? 'Thank you' : 'Welcome'}: {state}, {balance ?? 'no'} credits
    </p>
  );
}
