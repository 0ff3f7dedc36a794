import { type ReactNode, useState } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { OpenResult } from '../../messages.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button } from '../controls.tsx';
import { TAKES_FOCUS, useFocusHandover } from '../focus.ts';
import { planNameOf } from '../plans/plan-names.ts';
import { t } from '../text/texts.ts';
import { describeStatus } from './status.ts';
import { StatusTitle } from './status-title.tsx';
import './status.css';
import { send } from '../../send.ts';
import { NO_WORKER, sayRefusal } from '../notifications/say-refusal.ts';
import { useToast } from '../notifications/toasts.tsx';

interface PlanStatusProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** More to do, beside the way to the portal: for who has no plan, where plans are sold. */
  readonly children?: ReactNode;
  /** Plans are sold on this very page. Without it and without `children` no trial is advertised that nobody could start. */
  readonly plansOnPage?: boolean;
}

/** What plan this is, what happens next and when, and a button to the portal once something was bought. */
export function PlanStatus({ snapshot, now, children, plansOnPage = false }: PlanStatusProps): ReactNode {
  const sellsPlans = plansOnPage || Boolean(children);
  const view = describeStatus(snapshot, now, givenCatalog, { sellsPlans });
  const { state, title, badge, lines, portalAction, keeps } = view;
  const portal = usePortal();
  const isUrgent = badge?.tone === 'danger' && portalAction !== null;
  const toPortal = snapshot.hasCustomer && (
    <Button
      look={isUrgent ? 'primary' : 'secondary'}
      busy={portal.opening}
      onClick={portal.open}
      data-testid="manage-billing"
    >
      {portalAction ?? t('statusPortal')}
    </Button>
  );
  return (
    <section
      {...TAKES_FOCUS}
      aria-label={title}
      className="billing-status"
      data-testid="plan-status"
      data-state={state}
    >
      <StatusTitle title={title} badge={badge} />
      {lines.map((line) => (
        <p key={line} className="billing-status-line">
          {line}
        </p>
      ))}
      {(snapshot.hasCustomer || children) && (
        <div className="billing-status-actions">
          {isUrgent && toPortal}
          {keeps !== null && <KeepPlan plan={keeps} />}
          {children}
          {!isUrgent && toPortal}
        </div>
      )}
    </section>
  );
}

/** Takes a planned change back; the record says when that is done, and a refusal is said in the user's language. */
function KeepPlan({ plan }: { readonly plan: string }): ReactNode {
  const { opening, open } = useOpening(() => send('billingChange', { lookupKey: plan }));
  const button = useFocusHandover();
  return (
    <Button busy={opening} onClick={open} ref={button} data-testid="keep-plan">
      {t('actionKeepCurrent', planNameOf(plan))}
    </Button>
  );
}

/** Opens the provider's portal in a tab; a refusal is said in the user's language. */
export function usePortal(): Opening {
  return useOpening(() => send('billingPortal', {}));
}

interface Opening {
  readonly opening: boolean;
  readonly open: () => void;
}

function useOpening(ask: () => Promise<OpenResult>): Opening {
  const [opening, setOpening] = useState(false);
  const say = useToast();
  const open = (): void => {
    setOpening(true);
    ask()
      .then(
        (result) => result.ok || sayRefusal(say, result),
        () => sayRefusal(say, NO_WORKER),
      )
      .finally(() => setOpening(false));
  };
  return { opening, open };
}
