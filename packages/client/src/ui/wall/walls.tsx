import type { PlanOffer } from '@extension-billing/contract/catalog';
import { costOf } from '@extension-billing/contract/features';
import { isRunning } from '@extension-billing/contract/subscription-status';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import { givenCatalog } from '../../given-catalog.ts';
import type { EntitlementSnapshot } from '../../snapshot/snapshot.ts';
import { Button, CloseButton } from '../controls.tsx';
import { focusedAround } from '../focus.ts';
import { formatCount, formatMoment } from '../format.ts';
import { derivePlanChoice } from '../plans/choices.ts';
import { PackList } from '../plans/packs.tsx';
import { PlanList } from '../plans/plan-list.tsx';
import { usePortal } from '../status/plan-status.tsx';
import { describeStatus } from '../status/status.ts';
import { t, tCount } from '../text/texts.ts';
import { describePlanWall, describeTopUp, plansWithCredits } from './describe-wall.ts';
import './wall.css';

interface TopUpWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** What the features are called, by their names in the catalogue. */
  readonly featureNames?: Readonly<Record<string, string>>;
  /** The feature that the credits did not reach for; null or left out: they ran out. */
  readonly refused?: string | null;
}

/** The sheet under a meter that is empty or too low: credits to buy, and a way out. */
export function TopUpWall({ snapshot, now, featureNames, refused, ...control }: TopUpWallProps): ReactNode {
  const { title, text } = describeTopUp(snapshot, now, givenCatalog, refused);
  return (
    <WallSheet {...control} title={title} text={text} tone="warning" testId="topup-wall">
      <CreditCosts {...(featureNames && { featureNames })} />
      {givenCatalog.packs.length > 0 ? (
        <PackList emphasis />
      ) : (
        <PlansOrPortal snapshot={snapshot} now={now} plans={plansWithCredits(snapshot, givenCatalog)} />
      )}
    </WallSheet>
  );
}

/** What credits buy: each feature that takes some, by the name that the extension gives it, and what it takes. */
export function CreditCosts({
  featureNames = {},
}: {
  readonly featureNames?: Readonly<Record<string, string>>;
}): ReactNode {
  const costs = Object.keys(givenCatalog.features).flatMap((feature) => {
    const cost = costOf(givenCatalog, feature) ?? 0;
    return cost > 0 ? [{ name: featureNames[feature] ?? feature, cost }] : [];
  });
  if (costs.length === 0) return null;
  return (
    <div className="billing-costs">
      <h3>{t('wallCosts')}</h3>
      <dl>
        {costs.map(({ name, cost }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{tCount(cost, 'featureCost', formatCount(cost))}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface FreeCeilingWallProps extends TopUpWallProps {
  /** When free credits are given out again. */
  readonly until: number;
}

/** The sheet for who met the end of the day's free credits: when there are new ones, and what goes on at once. */
export function FreeCeilingWall(props: FreeCeilingWallProps): ReactNode {
  const { snapshot, now, until, featureNames, ...control } = props;
  const moment = formatMoment(until, now);
  const plans = plansWithCredits(snapshot, givenCatalog);
  const sells = givenCatalog.packs.length > 0 || plans.length > 0;
  return (
    <WallSheet
      {...control}
      title={t('wallFreeTitle')}
      text={sells ? t('wallFreeWords', moment) : t('wallFreeWait', moment)}
      tone="warning"
      testId="free-ceiling-wall"
    >
      {givenCatalog.packs.length > 0 ? (
        <>
          <CreditCosts {...(featureNames && { featureNames })} />
          <PackList emphasis />
        </>
      ) : (
        plans.length > 0 && <PlanList snapshot={snapshot} plans={plans} />
      )}
    </WallSheet>
  );
}

interface PlanWallProps extends WallSheetControl {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  /** The plans that have what was asked for; every plan that is sold if left out. */
  readonly plans?: readonly PlanOffer[];
}

/**
 * The sheet at a paywall: the plans that open it, and a way out. Whose own plan gives no access at the moment can buy no
 * other beside it: the sheet says why, and leads to billing.
 */
export function PlanWall(props: PlanWallProps): ReactNode {
  const { snapshot, now, plans = givenCatalog.plans, ...control } = props;
  if (isRunning(snapshot.status) && !snapshot.paid) {
    const { title, lines } = describeStatus(snapshot, now, givenCatalog);
    return (
      <WallSheet {...control} title={title} text={lines.join(' ')} tone="warning" testId="plan-wall">
        <ToPortal snapshot={snapshot} now={now} />
      </WallSheet>
    );
  }
  return (
    <WallSheet
      {...control}
      title={t('planWallTitle')}
      text={describePlanWall(plans, givenCatalog)}
      testId="plan-wall"
    >
      <PlansOrPortal snapshot={snapshot} now={now} plans={plans} />
    </WallSheet>
  );
}

interface PlansOrPortalProps {
  readonly snapshot: EntitlementSnapshot;
  readonly now: number;
  readonly plans: readonly PlanOffer[];
}

/** Plans to buy or change to; and the way to billing if the plan that runs has to be kept or paid first. */
function PlansOrPortal({ snapshot, now, plans }: PlansOrPortalProps): ReactNode {
  const canChoose = plans.some((plan) => {
    const { kind } = derivePlanChoice(plan, snapshot, givenCatalog);
    return kind === 'buy' || kind === 'change';
  });
  return (
    <>
      {plans.length > 0 && <PlanList snapshot={snapshot} plans={plans} />}
      {!canChoose && isRunning(snapshot.status) && <ToPortal snapshot={snapshot} now={now} />}
    </>
  );
}

function ToPortal({ snapshot, now }: Omit<PlansOrPortalProps, 'plans'>): ReactNode {
  const portal = usePortal();
  const { portalAction } = describeStatus(snapshot, now, givenCatalog);
  return (
    snapshot.hasCustomer && (
      <Button
        look="primary"
        wide
        busy={portal.opening}
        onClick={portal.open}
        data-testid="wall-manage-billing"
      >
        {portalAction ?? t('statusPortal')}
      </Button>
    )
  );
}

export interface WallSheetControl {
  readonly onDismiss: () => void;
  /** Something that was done in this page raised it, so that the focus may follow. Never true when a page opens. */
  readonly takesFocus?: boolean;
  /** The sheet has the focus, if it takes it: what stands below may be made inert now, and not before. */
  readonly onUp?: () => void;
}

interface WallSheetProps extends WallSheetControl {
  readonly title: string;
  readonly text: string;
  /** `x` marks the sheet, and `x-dismiss` the way out. */
  readonly testId: string;
  /** `warning`: something has run out. */
  readonly tone?: 'warning' | 'plain';
  readonly children: ReactNode;
}

/**
 * A sheet in the page with something to buy, and a way out: its cross, or Escape. Not modal: the page around it stays
 * within reach of Tab, but for what its surface makes inert. Gives the focus back that it took.
 */
export function WallSheet(props: WallSheetProps): ReactNode {
  const { title, text, onDismiss, takesFocus = false, onUp, testId, tone = 'plain', children } = props;
  const sheet = useRef<HTMLElement>(null);
  const before = useRef<Element | null>(null);
  const hadFocus = useRef(false);
  const titleId = useId();
  const textId = useId();

  useEffect(() => {
    const focused = focusedAround(sheet.current);
    if (takesFocus && mayMoveFrom(focused)) {
      before.current ??= focused;
      sheet.current?.focus({ preventScroll: true });
    }
    onUp?.();
  }, [takesFocus, onUp]);
  // Known before the sheet is taken out of the page; the focus goes back after what was inert no longer is.
  useLayoutEffect(() => {
    const current = sheet.current;
    return () => {
      hadFocus.current = current?.contains(focusedAround(current)) ?? false;
    };
  }, []);
  useEffect(
    () => () => {
      const { current } = before;
      if (hadFocus.current && current instanceof HTMLElement && current.isConnected) {
        current.focus({ preventScroll: true });
      }
    },
    [],
  );
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      event.preventDefault(); // otherwise Escape closes the whole popup
      onDismiss();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [onDismiss]);

  return (
    <section
      ref={sheet}
      className="billing-wall"
      data-tone={tone}
      role="dialog"
      aria-labelledby={titleId}
      aria-describedby={textId}
      tabIndex={-1}
      data-testid={testId}
    >
      <div className="billing-wall-head">
        <h2 id={titleId}>{title}</h2>
        <CloseButton onClick={onDismiss} data-testid={`${testId}-dismiss`} />
      </div>
      <p className="billing-wall-words" id={textId}>
        {text}
      </p>
      {children}
    </section>
  );
}

/** Not out of a field in which somebody is typing, and not in a page that nobody looks at. */
function mayMoveFrom(focused: Element | null): boolean {
  return document.hasFocus() && !focused?.matches('input, textarea, select, [contenteditable]');
}
