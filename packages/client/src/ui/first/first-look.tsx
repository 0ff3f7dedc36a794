import type { ReactNode } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import { pageBrowser } from '../../page-browser.ts';
import { billingStateView, snapshotAt } from '../../snapshot/access.ts';
import { pageMoment } from '../../snapshot/page-moment.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { useSnapshot } from '../../use-snapshot.ts';
import { inertWhen } from '../inert.ts';
import { BalanceMeter } from '../meter/balance-meter.tsx';
import { describeHead } from '../status/status-head.ts';
import { StatusTitle } from '../status/status-title.tsx';
import '../tokens.css';
import '../surface/page.css';
import '../button.css';
import './first-look.css';

/** What a first frame is made of, for somebody who is signed in and whose state is known. */
export interface FirstView {
  readonly snapshot: EntitlementSnapshot;
  /** The balance; nothing where credits are not in use. */
  readonly meter: ReactNode;
  /** A card with the plan's name and how it stands, and room for the rest. */
  readonly plan: ReactNode;
}

/** The look of a first frame. */
export interface FirstLookProps {
  readonly layout: 'compact' | 'full';
  readonly title: string;
  /** What stands where, as on the page that will be there; the meter above the plan without it. */
  readonly children?: (view: FirstView) => ReactNode;
}

/** A surface as it will look, before anything in it works. */
export function FirstLook({ layout, title, children = meterAndPlan }: FirstLookProps): ReactNode {
  const stored = useSnapshot();
  const moment = pageMoment();
  const now = Math.max(moment.now, stored?.mirroredAt ?? 0);
  // Without a network the page says so above all else.
  const isWaiting = moment.askedAt === -Infinity || billingStateView(stored, { ...moment, now }) === null;
  const isSignedIn = stored !== null && stored.uid !== null;
  return (
    <div className="billing-page" data-layout={layout} data-pending aria-busy {...inertWhen(true)}>
      <header className="billing-head">
        <div className="billing-brand">
          {pageBrowser().runtime.getManifest().icons && <span className="billing-first-icon" />}
          <h1>{title}</h1>
        </div>
      </header>
      <main className="billing-main">
        {isSignedIn && !isWaiting && (
          <div className="billing-first" data-layout={layout}>
            {children(viewOf(snapshotAt(stored, now), now))}
          </div>
        )}
      </main>
    </div>
  );
}

const meterAndPlan = ({ meter, plan }: FirstView): ReactNode => (
  <>
    {meter}
    {plan}
  </>
);

function viewOf(snapshot: EntitlementSnapshot, now: number): FirstView {
  const { state, title, badge } = describeHead(snapshot, now, givenCatalog);
  return {
    snapshot,
    meter: <BalanceMeter snapshot={snapshot} now={now} onTopUp={() => {}} />,
    plan: (
      <div className="billing-card billing-first-plan">
        <section className="billing-status" data-testid="plan-status" data-state={state}>
          <StatusTitle title={title} badge={badge} />
        </section>
      </div>
    ),
  };
}
